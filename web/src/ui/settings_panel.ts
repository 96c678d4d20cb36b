/**
 * Panels made from the fields that the engine reads: a new solver, material or option appears
 * without a change to the page. They are built anew if the fields change (another method, another
 * model); otherwise only their values are updated.
 */
import { CommandError, type Client } from '../engine/client';
import type { Field, SceneMessage } from '../protocol/scene';
import type { Json } from '../protocol/packet';
import { clear, h, section } from './dom';
import { FieldRow } from './field_control';
import { humanise, labelOf, valueAt } from './labels';
import { MaterialPart } from './material_part';

const HIDDEN = /^\/(supple|name)$/;

interface Rows {
  group: string;
  rows: Map<string, FieldRow>;
}

export class SettingsPanel {
  readonly element = h('div', { class: 'settings' });
  private structure = '';
  private groups: Rows[] = [];
  private materials: MaterialPart[] = [];

  constructor(
    private readonly client: Client,
    private readonly fail: (error: unknown) => void,
  ) {
    client.on('scene', (scene) => this.show(scene));
  }

  private send = (values: { [pointer: string]: Json }, final: boolean): void => {
    const pointers = Object.keys(values);
    const refused = (error: unknown): void => this.refused(pointers, error);
    const accepted = (): void => {
      for (const p of pointers) this.showError(p, null);
    };
    if (!final) {
      const key = `set ${pointers.join(' ')}`;
      this.client.sendLatest(key, 'set', { values, final }, refused);
    } else this.client.set(values).then(accepted, refused);
  };

  /** Shows an error beside the field that it names, or else beside the one that was changed. */
  private refused(pointers: string[], error: unknown): void {
    if (!(error instanceof CommandError)) return this.fail(error);
    const named = this.client.scene?.fields
      .map((f) => f.pointer)
      .filter((p) => error.where.endsWith(p))
      .sort((a, b) => b.length - a.length)[0];
    const at = named ?? pointers[0] ?? '';
    if (!this.showError(at, error.message)) this.fail(error);
    // Show the values that are in force again.
    if (this.client.scene !== null) this.update(this.client.scene);
  }

  private showError(pointer: string, text: string | null): boolean {
    for (const { rows } of this.groups) {
      const row = rows.get(pointer);
      if (row !== undefined) {
        row.showError(text);
        return true;
      }
    }
    return this.materials.some((m) => m.showError(pointer, text));
  }

  private show(scene: SceneMessage): void {
    const structure = scene.fields
      .map((f) => `${f.pointer} ${f.type} ${f.choices.length} ${shapeOf(scene, f)}`)
      .concat(titlesOf(scene, '/bodies'), titlesOf(scene, '/colliders'))
      .join('\n');
    if (structure !== this.structure) {
      this.structure = structure;
      this.build(scene);
    }
    this.update(scene);
  }

  private update(scene: SceneMessage): void {
    for (const { rows } of this.groups) {
      for (const [pointer, row] of rows) {
        const value = valueAt(scene.settings, pointer) ?? row.field.default;
        row.update(value as Json, pointer in scene.changed);
      }
    }
    for (const material of this.materials) material.update(scene);
  }

  private rowsFor(group: string, fields: Field[], scene: SceneMessage): HTMLElement[] {
    const rows = new Map<string, FieldRow>();
    for (const field of fields) {
      const value = (valueAt(scene.settings, field.pointer) ?? field.default) as Json;
      const row = new FieldRow(field, labelOf(field.pointer, group), value, (v, final) =>
        this.send({ [field.pointer]: v }, final),
      );
      rows.set(field.pointer, row);
    }
    this.groups.push({ group, rows });
    return [...rows.values()].map((r) => r.element);
  }

  private build(scene: SceneMessage): void {
    this.groups = [];
    this.materials = [];
    const left = scene.fields.filter((f) => !HIDDEN.test(f.pointer));
    /** Takes out the fields below a pointer. */
    const take = (pointer: string): Field[] => {
      const mine = left.filter((f) => f.pointer === pointer || f.pointer.startsWith(`${pointer}/`));
      for (const f of mine) left.splice(left.indexOf(f), 1);
      return mine;
    };
    const part = (key: string, title: string, open: boolean, group: string, fields: Field[]) =>
      fields.length > 0 && section(key, title, open, ...this.rowsFor(group, fields, scene));

    const solver = part('solver', 'Solver', true, '/solver', take('/solver'));
    const bodies = this.bodies(scene, take);
    const time = part('time', 'Time', false, '/time', take('/time'));
    const colliders = this.colliders(scene, take);
    const world = part('world', 'Gravity, damping, contact', false, '', [
      ...take('/gravity'),
      ...take('/damping'),
      ...take('/contact'),
    ]);
    const rest = part('rest', 'More', false, '', left);
    clear(this.element, solver, ...bodies, time, world, ...colliders, rest);
  }

  private bodies(scene: SceneMessage, take: (p: string) => Field[]): HTMLElement[] {
    const list = valueAt(scene.settings, '/bodies');
    const count = Array.isArray(list) ? list.length : 0;
    return Array.from({ length: count }, (_, i) => {
      const base = `/bodies/${i}`;
      const name = String(valueAt(scene.settings, `${base}/name`) ?? `body ${i}`);
      take(`${base}/name`);
      const material = `${base}/material`;
      const made = new MaterialPart(this.client, material, take(material), scene, this.send);
      this.materials.push(made);
      const part = (title: string, ...keys: string[]): HTMLElement | false => {
        const fields = keys.flatMap((key) => take(`${base}/${key}`));
        if (fields.length === 0) return false;
        const rows = this.rowsFor(base, fields, scene);
        return section(`${base} ${title}`, title, false, ...rows);
      };
      const parts = [
        part('Mass and fibres', 'density', 'mass', 'fiber'),
        part('Pressure', 'pressure'),
        part('Pins', 'pins'),
        part('Regions and layers', 'regions', 'layers'),
        part('Shape', 'mesh', 'transform'),
        part('Start', 'initial', 'velocity'),
      ];
      const rest = this.rowsFor(base, take(base), scene);
      const title = `Body: ${humanise(name)}`;
      // If there are many bodies, only the first is open, so that the panel stays short.
      return section(base, title, i === 0, made.element, ...rest, ...parts);
    });
  }

  private colliders(scene: SceneMessage, take: (p: string) => Field[]): HTMLElement[] {
    const list = valueAt(scene.settings, '/colliders');
    const count = Array.isArray(list) ? list.length : 0;
    return Array.from({ length: count }, (_, i) => {
      const base = `/colliders/${i}`;
      const name = valueAt(scene.settings, `${base}/name`);
      take(`${base}/name`);
      const fields = take(base);
      const kind = fields[0]?.pointer.split('/')[3] ?? '';
      const title = `Collider: ${humanise(typeof name === 'string' ? name : kind)}`;
      return section(base, title, false, ...this.rowsFor(base, fields, scene));
    });
  }
}

/** The titles of the parts of a list. */
function titlesOf(scene: SceneMessage, pointer: string): string[] {
  const list = valueAt(scene.settings, pointer);
  if (!Array.isArray(list)) return [];
  return list.map(
    (_, i) => `${pointer} ${String(valueAt(scene.settings, `${pointer}/${i}/name`))}`,
  );
}

/** Whether a value is a number, a list, or something else: each has its own control. */
function shapeOf(scene: SceneMessage, field: Field): string {
  const value = valueAt(scene.settings, field.pointer);
  return Array.isArray(value) ? `list ${field.type === 'pairs' ? '' : value.length}` : typeof value;
}
