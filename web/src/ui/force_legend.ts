/** The scale of the force arrows, over the view. */
import type { Forces } from '../protocol/frame';
import { USUAL } from '../view/arrows';
import { h, readable } from './dom';
import { onTheme } from './theme';

/** An arrow of the usual length. */
function arrow(): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('width', String(USUAL));
  svg.setAttribute('height', '10');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', `M0 3.5H${USUAL - 12}V0.5L${USUAL} 5L${USUAL - 12} 9.5V6.5H0z`);
  path.setAttribute('fill', 'currentcolor');
  svg.append(path);
  return svg;
}

export class ForceLegend {
  readonly element: HTMLElement;
  private readonly scale = h('span');
  private readonly row: HTMLElement;
  private readonly note = h('div', { class: 'force-note' });

  constructor() {
    const drawn = arrow();
    onTheme((theme) => {
      drawn.style.color = `#${theme.force.toString(16).padStart(6, '0')}`;
    });
    this.row = h('div', { class: 'force-scale' }, drawn, this.scale);
    this.element = h(
      'figure',
      { class: 'force-legend', hidden: true },
      h('div', { class: 'legend-title' }, 'Contact forces'),
      this.row,
      this.note,
    );
  }

  show(forces: Forces | null): void {
    this.element.hidden = forces === null;
    if (forces === null) return;
    this.row.hidden = !(forces.scale > 0);
    const scale = `${readable(forces.scale, 3)} N`;
    if (this.scale.textContent !== scale) this.scale.textContent = scale;
    const note = noteOf(forces);
    if (this.note.textContent !== note) this.note.textContent = note;
    this.note.hidden = note === '';
  }
}

/** Text besides the scale. */
export function noteOf(forces: Forces): string {
  const shown = forces.touching.length / 2;
  const parts = [
    forces.bodies !== null && forces.contacts === 0 && 'Nothing touches.',
    forces.contacts > shown && `The ${shown} largest of ${forces.contacts} are drawn.`,
    forces.note !== '' && `${forces.note.charAt(0).toUpperCase()}${forces.note.slice(1)}.`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}
