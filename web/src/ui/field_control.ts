/** The control of one field, made only from the field's description. */
import type { Field } from '../protocol/scene';
import type { Json } from '../protocol/packet';
import { CurveEditor, readPoints } from './curve_editor';
import { choice, h, newId, readable } from './dom';
import { humanise } from './labels';
import { scaleFor, type SliderScale } from './slider_scale';
import { monotoneSpline } from './spline';

export interface Control {
  element: HTMLElement;
  /** Shows another value, unless the user is just changing it. */
  update(value: Json): void;
  /** The control stands below its label, not beside it. */
  isWide?: boolean;
}
export type Changed = (value: Json, final: boolean) => void;

const PLACES = 1000;

const asNumber = (value: Json, otherwise = 0): number =>
  typeof value === 'number' ? value : otherwise;

/** The number in an input; null if it is not one. */
export function parsed(input: HTMLInputElement): number | null {
  const text = input.value.trim().replace(',', '.').replace('−', '-');
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? null : value;
}

function numberInput(label: string, value: number): HTMLInputElement {
  return h('input', {
    type: 'text',
    inputmode: 'decimal',
    class: 'number',
    'aria-label': label,
    value: readable(value, 6),
    autocomplete: 'off',
    spellcheck: 'false',
  });
}

function commitOn(input: HTMLInputElement, commit: () => void): void {
  input.addEventListener('change', commit);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') commit();
  });
}

/** A slider with the number beside it. */
export function numberControl(field: Field, value: Json, label: string, changed: Changed): Control {
  let now = asNumber(value);
  let scale: SliderScale = scaleFor(field, now);
  let dragging = false;
  const input = numberInput(label, now);
  const slider = h('input', { type: 'range', min: 0, max: PLACES, step: 1, 'aria-label': label });
  const show = (): void => {
    slider.value = String(Math.round(PLACES * scale.toPlace(now)));
    slider.setAttribute('aria-valuetext', `${readable(now)} ${field.unit}`.trim());
  };
  slider.addEventListener('pointerdown', () => (dragging = true));
  slider.addEventListener('input', () => {
    now = scale.toValue(Number(slider.value) / PLACES);
    input.value = readable(now, 6);
    slider.setAttribute('aria-valuetext', `${readable(now)} ${field.unit}`.trim());
    changed(now, false);
  });
  slider.addEventListener('change', () => {
    dragging = false;
    changed(now, true);
  });
  commitOn(input, () => {
    const typed = parsed(input);
    if (typed === null || typed === now) {
      input.value = readable(now, 6);
      return;
    }
    now = typed;
    scale = scaleFor(field, now);
    show();
    changed(now, true);
  });
  show();
  return {
    element: h('div', { class: 'control' }, slider, input),
    update: (next) => {
      if (dragging || typeof next !== 'number') return;
      if (next < scale.low || next > scale.high) scale = scaleFor(field, next);
      now = next;
      if (document.activeElement !== input) input.value = readable(now, 6);
      if (document.activeElement !== slider) show();
    },
  };
}

function booleanControl(value: Json, label: string, changed: Changed): Control {
  const input = h('input', { type: 'checkbox', 'aria-label': label, checked: value === true });
  input.addEventListener('change', () => changed(input.checked, true));
  return {
    element: h('div', { class: 'control' }, input),
    update: (next) => (input.checked = next === true),
  };
}

function choiceControl(field: Field, value: Json, label: string, changed: Changed): Control {
  const options = field.choices.map((c) => ({ value: c, text: humanise(c) }));
  const select = choice(options, String(value), (chosen) => changed(chosen, true));
  select.setAttribute('aria-label', label);
  return {
    element: h('div', { class: 'control' }, select),
    update: (next) => (select.value = String(next)),
  };
}

/** Numbers side by side: a vector or a pair. */
function vectorControl(value: Json, label: string, changed: Changed): Control {
  let now = Array.isArray(value) ? value.map((v) => asNumber(v)) : [];
  const names = now.length === 3 ? ['x', 'y', 'z'] : ['first', 'second'];
  const inputs = now.map((v, i) => numberInput(`${label}, ${names[i] ?? i + 1}`, v));
  const show = (): void => inputs.forEach((input, i) => (input.value = readable(now[i]!, 6)));
  inputs.forEach((input, i) => {
    commitOn(input, () => {
      const typed = parsed(input);
      if (typed === null || typed === now[i]) return show();
      now = now.map((old, k) => (k === i ? typed : old));
      changed(now, true);
    });
  });
  const two = inputs.length === 2 ? ' two' : '';
  return {
    element: h('div', { class: 'control' }, h('div', { class: `vector${two}` }, ...inputs)),
    update: (next) => {
      if (!Array.isArray(next) || next.length !== inputs.length) return;
      now = next.map((v) => asNumber(v));
      if (!inputs.includes(document.activeElement as HTMLInputElement)) show();
    },
  };
}

const isShortList = (value: Json | undefined): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= 3 &&
  value.every((v) => typeof v === 'number');

/** Two corners, one above the other. */
function boxControl(value: Json, label: string, changed: Changed): Control | null {
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [low, high] = value;
  if (!isShortList(low) || !isShortList(high)) return null;
  let now: [Json, Json] = [low, high];
  const corner = (i: 0 | 1, name: string): Control =>
    vectorControl(now[i], `${label}, ${name}`, (v, final) => {
      now = i === 0 ? [v, now[1]] : [now[0], v];
      changed(now, final);
    });
  const corners = [corner(0, 'lower corner'), corner(1, 'upper corner')] as const;
  return {
    element: h('div', { class: 'box' }, corners[0].element, corners[1].element),
    update: (next) => {
      if (!Array.isArray(next) || next.length !== 2) return;
      now = [next[0]!, next[1]!];
      corners[0].update(now[0]);
      corners[1].update(now[1]);
    },
  };
}

/** Text, and everything else as JSON. */
function textControl(field: Field, value: Json, label: string, changed: Changed): Control {
  const isText = field.type === 'text';
  const write = (v: Json): string => (isText && typeof v === 'string' ? v : JSON.stringify(v));
  let now = write(value);
  const input = h('input', { type: 'text', 'aria-label': label, value: now, spellcheck: 'false' });
  commitOn(input, () => {
    if (input.value === now) return;
    try {
      const next = isText ? input.value : (JSON.parse(input.value) as Json);
      now = input.value;
      changed(next, true);
    } catch {
      input.value = now;
    }
  });
  return {
    element: h('div', { class: 'control' }, input),
    update: (next) => {
      now = write(next);
      if (document.activeElement !== input) input.value = now;
    },
  };
}

/** The stress of fibers against their stretch. */
function fiberControl(field: Field, value: Json, label: string, changed: Changed): Control | null {
  const points = /\/fiber(\/\d+)?\/curve$/.test(field.pointer) ? readPoints(value) : null;
  if (points === null) return null;
  const editor = new CurveEditor(label, 'Pa', points, changed, monotoneSpline);
  return {
    element: editor.element,
    isWide: true,
    update: (now) => editor.update(readPoints(now) ?? []),
  };
}

function controlFor(field: Field, value: Json, label: string, changed: Changed): Control {
  switch (field.type) {
    case 'number':
    case 'integer':
      // Instead of a number there can be a field of the mesh with one value per tet: no slider.
      if (typeof value !== 'number') return textControl(field, value, label, changed);
      return numberControl(field, value, label, changed);
    case 'boolean':
      return booleanControl(value, label, changed);
    case 'choice':
      // If an object replaces a name (how a body starts), it is shown as text.
      if (typeof value !== 'string') return textControl(field, value, label, changed);
      return choiceControl(field, value, label, changed);
    case 'vector':
    case 'pair':
    case 'integers':
      if (isShortList(value)) return vectorControl(value, label, changed);
      return textControl(field, value, label, changed);
    case 'pairs':
      return (
        fiberControl(field, value, label, changed) ?? textControl(field, value, label, changed)
      );
    case 'box':
      return boxControl(value, label, changed) ?? textControl(field, value, label, changed);
    default:
      return textControl(field, value, label, changed);
  }
}

/** A field with its label, its unit, and room for the engine's error about its value. */
export class FieldRow {
  readonly element: HTMLElement;
  private readonly control: Control;
  private readonly error = h('div', { class: 'field-error', role: 'alert', hidden: true });

  constructor(
    readonly field: Field,
    label: string,
    value: Json,
    changed: Changed,
  ) {
    this.control = controlFor(field, value, label, changed);
    const id = newId('label');
    const unit = field.unit === '' ? '' : ` (${prettyUnit(field.unit)})`;
    this.element = h(
      'div',
      { class: 'field', role: 'group', 'aria-labelledby': id, title: hintOf(field) },
      h('label', { id }, label, unit !== '' && h('span', { class: 'unit' }, unit)),
      this.control.element,
      this.error,
    );
    this.element.classList.toggle('wide', this.control.isWide ?? false);
  }

  update(value: Json, isChanged: boolean): void {
    this.control.update(value);
    this.element.classList.toggle('changed', isChanged);
  }

  showError(text: string | null): void {
    this.error.hidden = text === null;
    this.error.textContent = text ?? '';
    this.element.classList.toggle('refused', text !== null);
  }
}

export const prettyUnit = (unit: string): string =>
  unit.replaceAll('^2', '²').replaceAll('^3', '³').replaceAll('*', '·');

function hintOf(field: Field): string {
  const parts = [field.pointer];
  if (field.what !== '') parts.push(field.what);
  const low = field.low === null ? '' : `${field.lowIncluded ? 'from' : 'above'} ${field.low}`;
  const high = field.high === null ? '' : `${field.highIncluded ? 'to' : 'below'} ${field.high}`;
  const range = `${low} ${high}`.trim();
  if (range !== '') parts.push(range);
  if (field.default !== null && typeof field.default !== 'object') {
    parts.push(`usually ${String(field.default)}`);
  }
  return parts.join('\n');
}
