/** The help overlay: every tool and every key. */
import { button, h } from './dom';

const KEYS: [string, string][] = [
  ['Space', 'Play, pause'],
  ['S', 'One step'],
  ['R', 'Start again'],
  ['1', 'Pull'],
  ['2', 'Pin or unpin by clicking'],
  ['3', 'Pin all in a box; with Shift unpin'],
  ['4', 'Move (G) and turn (T) pins and colliders'],
  ['5', 'Cut by a stroke'],
  ['W', 'Wireframe'],
  ['C', 'Cut open'],
  ['A', 'Contact forces as arrows'],
  ['F', 'Show all'],
  ['Ctrl Z', 'Undo'],
  ['Ctrl Y', 'Redo'],
  ['[ ]', 'Left, right panel'],
  ['Arrows, + −', 'Turn, zoom (in the view)'],
  ['Esc', 'Close, back to pulling'],
  ['?', 'This help'],
];

const MOUSE: [string, string][] = [
  ['Drag on the body', 'The chosen tool: pulls, pins, moves, cuts'],
  ['Drag beside it', 'Turns the view'],
  ['Right button, two fingers', 'Shifts the view'],
  ['Wheel, two fingers', 'Zooms'],
  ['Alt with any drag', 'Always the view'],
  ['Drop a file', 'Opens a scene, a mesh or a saved state'],
];

export class Help {
  readonly element: HTMLDialogElement;

  constructor() {
    const table = (title: string, rows: [string, string][], keys: boolean) =>
      h(
        'section',
        {},
        h('h3', {}, title),
        h(
          'dl',
          {},
          ...rows.flatMap(([k, v]) => [
            h('dt', {}, ...(keys ? [h('kbd', {}, k)] : [k])),
            h('dd', {}, v),
          ]),
        ),
      );
    const close = button({ label: 'Close', icon: 'close', onPress: () => this.element.close() });
    this.element = h(
      'dialog',
      { class: 'help', 'aria-labelledby': 'help-title' },
      h('header', {}, h('h2', { id: 'help-title' }, 'supple: keys and tools'), close),
      h(
        'div',
        { class: 'help-columns' },
        table('Keys', KEYS, true),
        table('Mouse and touch', MOUSE, false),
      ),
    );
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  toggle(): void {
    if (this.element.open) this.element.close();
    else this.element.showModal();
  }
}
