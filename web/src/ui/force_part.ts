/** Sums of forces as numbers: for each collider, body and pin. */
import type { Frame } from '../protocol/frame';
import { text, type Vec3 } from '../protocol/values';
import { clear, h, readable, section } from './dom';

/** For each kind: nobody reads a table of hundreds of bodies. */
const MOST_ROWS = 40;

interface Row {
  name: string;
  force: Vec3;
}

const named = (name: string, kind: string, index: number): string =>
  name === '' ? `${kind} ${index + 1}` : name;

export class ForcePart {
  readonly element: HTMLElement;
  private readonly body = h('div');

  constructor() {
    this.element = section('forces', 'Forces', true, this.body);
    this.element.hidden = true;
  }

  /** `wanted`: this page shows forces; frames can have them because another page does. */
  show(frame: Frame, bodies: { name: string }[], wanted: boolean): void {
    const forces = wanted ? frame.forces : null;
    this.element.hidden = forces === null;
    if (forces === null) return;
    const nameOf = (b: number): string => named(bodies[b]?.name ?? '', 'Body', b);
    const colliders = (forces.colliders ?? []).map((force, i) => ({
      name: named(text(frame.colliders[i]?.['name']), 'Collider', i),
      force,
    }));
    const contacts = (forces.bodies ?? []).map((force, b) => ({ name: nameOf(b), force }));
    const pins = (forces.pins ?? []).map(({ body, pin, force }) => ({
      name: `${nameOf(body)}, pin ${pin + 1}`,
      force,
    }));
    clear(
      this.body,
      ...this.table('On colliders', colliders),
      ...this.table('On bodies, by contacts', contacts),
      ...this.table('On bodies, by pins', pins),
      colliders.length + contacts.length + pins.length === 0 &&
        h('div', { class: 'hint' }, 'No forces are known.'),
    );
  }

  private table(title: string, rows: Row[]): HTMLElement[] {
    if (rows.length === 0) return [];
    const said = rows
      .slice(0, MOST_ROWS)
      .flatMap(({ name, force }) => [
        h('dt', {}, name),
        h(
          'dd',
          { title: `x, y, z: ${force.map((f) => readable(f, 3)).join(', ')} N` },
          `${readable(Math.hypot(...force), 3)} N`,
        ),
      ]);
    const more = rows.length - MOST_ROWS;
    if (more > 0) said.push(h('dt', {}, `and ${more} more`), h('dd'));
    return [h('div', { class: 'curve-title' }, title), h('dl', { class: 'numbers' }, ...said)];
  }
}
