/** What the chosen tool can be set to. */
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
};

const STRENGTH: Field = {
  pointer: 'strength of the pull',
  type: 'number',
  low: 1,
  high: 1e7,
  lowIncluded: true,
  highIncluded: true,
  unit: 'N/m',
  choices: [],
  what: '',
  default: null,
};

export class ToolPanel {
  readonly element: HTMLElement;
  private readonly hint = h('p', { class: 'hint' });
  private readonly pullParts: HTMLElement;
  private readonly handleParts: HTMLElement;

  constructor(pull: PullTool, handle: HandleTool) {
    let strength = 1e4;
    const row = new FieldRow(STRENGTH, 'Strength', strength, (value) => {
      if (typeof value !== 'number' || value <= 0) return;
      strength = value;
      pull.stiffness = value;
    });
    row.element.hidden = true;
    const automatic = checkbox('Strength by the body’s mass', true, (on) => {
      row.element.hidden = on;
      pull.stiffness = on ? 0 : strength;
    });
    this.pullParts = h('div', {}, automatic, row.element);
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
