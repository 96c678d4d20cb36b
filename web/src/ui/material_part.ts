/** The material of a body: its fields, moduli in both ways, editable curves, a stress plot. */
import type { Client } from '../engine/client';
import type { Field, SceneMessage } from '../protocol/scene';
import { isObject, type Json } from '../protocol/packet';
import { button, h } from './dom';
import { CurveEditor, readPoints } from './curve_editor';
import { ElasticPart } from './elastic_part';
import { FieldRow } from './field_control';
import { labelOf, valueAt } from './labels';
import { StressPlot } from './stress_plot';

export type SendValues = (values: { [pointer: string]: Json }, final: boolean) => void;

const CURVES: { [key: string]: string } = {
  a: 'a′ of each stretch',
  b: 'b′ of products of two stretches',
  c: 'c′ of the volume ratio',
};

interface Part {
  element: HTMLElement;
  pointers: string[];
  update(scene: SceneMessage): void;
  showError(text: string | null): void;
}

function elastic(first: Field, second: Field, scene: SceneMessage, send: SendValues): Part | null {
  const read = (s: SceneMessage): [number, number] | null => {
    const values = [first, second].map((f) => valueAt(s.settings, f.pointer));
    const [a, b] = values;
    return typeof a === 'number' && typeof b === 'number' ? [a, b] : null;
  };
  const values = read(scene);
  if (values === null) return null;
  const part = new ElasticPart([first, second], values, send);
  return {
    element: part.element,
    pointers: part.pointers,
    showError: (text) => part.showError(text),
    update: (s) => {
      const now = read(s);
      if (now !== null)
        part.update(
          now,
          part.pointers.some((p) => p in s.changed),
        );
    },
  };
}

function curve(field: Field, scene: SceneMessage, send: SendValues): Part | null {
  const points = readPoints(valueAt(scene.settings, field.pointer));
  if (points === null) return null;
  const key = field.pointer.split('/').at(-1)!;
  const label = CURVES[key] ?? labelOf(field.pointer, '');
  const editor = new CurveEditor(label, 'Pa', points, (now, final) => {
    send({ [field.pointer]: now }, final);
  });
  const error = h('div', { class: 'field-error', role: 'alert', hidden: true });
  return {
    element: h(
      'div',
      { 'data-curve': key },
      h('div', { class: 'curve-title' }, label),
      editor.element,
      error,
    ),
    pointers: [field.pointer],
    showError: (text) => {
      error.hidden = text === null;
      error.textContent = text ?? '';
    },
    update: (s) => editor.update(readPoints(valueAt(s.settings, field.pointer)) ?? []),
  };
}

export class MaterialPart {
  readonly element = h('div', { class: 'material' });
  private readonly parts: Part[] = [];
  private readonly plot: StressPlot;

  constructor(
    private readonly client: Client,
    readonly group: string,
    fields: Field[],
    scene: SceneMessage,
    private readonly send: SendValues,
  ) {
    const left = new Map(fields.map((f) => [f.pointer.slice(group.length + 1), f]));
    const pair = (a: string, b: string): void => {
      const [first, second] = [left.get(a), left.get(b)];
      if (first === undefined || second === undefined) return;
      const part = elastic(first, second, scene, send);
      if (part === null) return;
      this.parts.push(part);
      left.delete(a);
      left.delete(b);
    };
    const model = left.get('model');
    if (model !== undefined) {
      this.addRow(model, scene);
      left.delete('model');
    }
    pair('young', 'poisson');
    pair('mu', 'lambda');
    for (const field of left.values()) {
      const editor = field.type === 'pairs' ? curve(field, scene, send) : null;
      if (editor !== null) this.parts.push(editor);
      else this.addRow(field, scene);
    }
    this.element.append(...this.parts.map((p) => p.element));
    if (valueAt(scene.settings, `${group}/model`) === 'spline') this.addPresets(scene);
    this.plot = new StressPlot(client, Number(group.split('/')[2] ?? 0), group);
    this.element.append(this.plot.element);
    this.update(scene);
  }

  private addRow(field: Field, scene: SceneMessage): void {
    const value = (valueAt(scene.settings, field.pointer) ?? field.default) as Json;
    const row = new FieldRow(field, labelOf(field.pointer, this.group), value, (v, final) =>
      this.send({ [field.pointer]: v }, final),
    );
    this.parts.push({
      element: row.element,
      pointers: [field.pointer],
      showError: (text) => row.showError(text),
      update: (s) => {
        const now = (valueAt(s.settings, field.pointer) ?? field.default) as Json;
        row.update(now, field.pointer in s.changed);
      },
    });
  }

  /** Buttons that switch from a preset to editable points and back. */
  private addPresets(scene: SceneMessage): void {
    const preset = valueAt(scene.settings, `${this.group}/preset`);
    const press = (label: string, onPress: () => void) =>
      button({ label, text: label, class: 'plain small', onPress });
    const row = h('div', { class: 'buttons', role: 'group', 'aria-label': 'Curves' });
    if (typeof preset === 'string') row.append(press('Edit as points', () => void this.toPoints()));
    else {
      row.append(
        press('Preset A', () => this.toPreset('A')),
        press('Preset B', () => this.toPreset('B')),
      );
    }
    this.element.append(row);
  }

  private at = (key: string): string => `${this.group}/${key}`;

  /** Switches to a preset with the same stiffness at small strains. */
  private toPreset(preset: string): void {
    const { young, poisson } = this.plot.moduli ?? { young: 1e5, poisson: 0.4 };
    const digits = (value: number): number => Number(value.toPrecision(4));
    const values: { [pointer: string]: Json } = {};
    const there = valueAt(this.client.scene?.settings, this.group);
    for (const key of ['a', 'b', 'c']) {
      if (isObject(there) && key in there) values[this.at(key)] = null;
    }
    values[this.at('preset')] = preset;
    values[this.at('young')] = digits(Math.max(young, 1));
    values[this.at('poisson')] = Math.min(0.49, Math.max(0, digits(poisson)));
    this.send(values, true);
  }

  /** The engine replaces a preset by points as soon as one of its curves is set. */
  private async toPoints(): Promise<void> {
    const a = (await this.plot.describe())?.points['a'];
    if (a !== undefined) this.send({ [this.at('a')]: a }, true);
  }

  update(scene: SceneMessage): void {
    for (const part of this.parts) part.update(scene);
    this.plot.refresh();
  }

  /** Shows an error at the field with this pointer; false if there is none here. */
  showError(pointer: string, text: string | null): boolean {
    const part = this.parts.find((p) => p.pointers.includes(pointer));
    part?.showError(text);
    return part !== undefined;
  }
}
