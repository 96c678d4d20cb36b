/** The settings of the chosen tool. */
import type { HandleTool } from '../tools/handle';
import type { PullTool } from '../tools/pull';
import type { ToolName } from '../tools/pointer';
import type { Field } from '../protocol/scene';
import { checkbox, h, section, setPressed, button } from './dom';
import { FieldRow } from './field_control';

const HINTS: { [tool in ToolName]: string } = {
  pull: 'Drag any point of the body. Drag beside it to turn the view.',
  pin: 'Click a vertex to hold it where it is, again to let it go.',
  box: 'Draw a box around the vertices to hold; with Shift, to let go.',
  handle: 'Click a pin or a collider, then drag its arrows or rings.',
  knife: 'Draw a stroke across the body: all that is behind it is cut. Start again makes it whole.',
};

const field = (pointer: string, low: number, high: number, unit: string): Field => ({
  pointer,
  type: 'number',
  low,
  high,
  lowIncluded: true,
  highIncluded: true,
  unit,
  choices: [],
  what: '',
  default: null,
});

const STRENGTH = field('strength of the pull', 1, 1e7, 'N/m');
const RADIUS = field('radius of the pull', 1e-4, 100, 'm');

/** A number that the engine chooses unless the user sets it. `use` gets the number, or null. */
function chosenOr(
  text: string,
  label: string,
  of: Field,
  start: number,
  use: (value: number | null) => void,
): HTMLElement {
  let value = start;
  const row = new FieldRow(of, label, value, (given) => {
    if (typeof given !== 'number' || given <= 0) return;
    value = given;
    use(value);
  });
  row.element.hidden = true;
  const automatic = checkbox(text, true, (on) => {
    row.element.hidden = on;
    use(on ? null : value);
  });
  return h('div', {}, automatic, row.element);
}

export class ToolPanel {
  readonly element: HTMLElement;
  private readonly hint = h('p', { class: 'hint' });
  private readonly pullParts: HTMLElement;
  private readonly handleParts: HTMLElement;

  constructor(pull: PullTool, handle: HandleTool) {
    this.pullParts = h(
      'div',
      {},
      chosenOr('Strength by the body’s mass', 'Strength', STRENGTH, 1e4, (value) => {
        pull.stiffness = value ?? 0;
      }),
      chosenOr('Radius by the body’s size', 'Radius', RADIUS, 0.1, (value) => {
        pull.radius = value;
      }),
    );
    const modes = (['translate', 'rotate'] as const).map((mode) => {
      const b = button({
        label: mode === 'translate' ? 'Move' : 'Turn',
        text: mode === 'translate' ? 'Move' : 'Turn',
        onPress: () => handle.setMode(mode),
      });
      return [mode, b] as const;
    });
    handle.onMode = (mode) => {
      for (const [name, b] of modes) setPressed(b, name === mode);
    };
    handle.setMode('translate');
    this.handleParts = h(
      'div',
      { class: 'segments', role: 'group', 'aria-label': 'Gizmo' },
      ...modes.map(([, b]) => b),
    );
    this.element = section('tool', 'Tool', true, this.hint, this.pullParts, this.handleParts);
  }

  show(tool: ToolName): void {
    this.hint.textContent = HINTS[tool];
    this.pullParts.hidden = tool !== 'pull';
    this.handleParts.hidden = tool !== 'handle';
  }
}
