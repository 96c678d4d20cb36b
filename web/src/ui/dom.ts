/** Small helpers for plain DOM. */
export type Child = Node | string | null | undefined | false;
type Listeners = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
type Attribute = string | number | boolean | null | undefined;
export interface Props {
  class?: string;
  on?: Listeners;
  [attribute: string]: Attribute | Listeners;
}

/**
 * An element. Attributes that are false, null or undefined are omitted; true gives an empty one.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value as Listeners)) {
        element.addEventListener(event, listener as EventListener);
      }
    } else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.filter((c): c is Node | string => c !== null && !!c));
  return element;
}

export function clear(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((c): c is Node | string => !!c));
}

let lastId = 0;
export const newId = (prefix: string): string => `${prefix}-${++lastId}`;

// Strokes on a 24 x 24 grid.
const ICONS = {
  play: 'M8 5v14l11-7z',
  pause: 'M8 5v14M16 5v14',
  step: 'M6 5v14l9-7zM18 5v14',
  reset: 'M5 5v5h5M5.5 10A7.5 7.5 0 1 1 5 14',
  undo: 'M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4',
  redo: 'M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h4',
  record: 'M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z',
  help: 'M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.5v.5',
  pull: 'M7 12V6.5a1.5 1.5 0 0 1 3 0V11V4.5a1.5 1.5 0 0 1 3 0V11V6a1.5 1.5 0 0 1 3 0v8a6 6 0 0 1-6 6c-3 0-4-1.5-6-5.5-.8-1.6 1.3-2.6 2.3-1.2z',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  box: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4',
  handle:
    'M12 3v18M3 12h18M12 3l-2.5 3M12 3l2.5 3M12 21l-2.5-3M12 21l2.5-3M3 12l3-2.5M3 12l3 2.5M21 12l-3-2.5M21 12l-3 2.5',
  knife: 'M4 20 13 11M13 11l3 3c4-2 5-6 5-11C16 3 13 6 10 8zM4 20l1-4 3-3',
  squash: 'M5 20h14M5 16h14M12 3v9M8.5 8.5 12 12l3.5-3.5',
  random: 'M4 7h3l8 10h5M4 17h3l2.5-3M13 9.5 15 7h5M18 4.5 20.5 7 18 9.5M18 14.5l2.5 2.5-2.5 2.5',
  left: 'M4 5h16v14H4zM9 5v14',
  right: 'M4 5h16v14H4zM15 5v14',
  camera: 'M4 8h3l2-3h6l2 3h3v11H4zM12 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  save: 'M12 4v11M8 11l4 4 4-4M5 20h14',
  load: 'M12 15V4M8 8l4-4 4 4M5 20h14',
  close: 'M6 6l12 12M18 6 6 18',
  frame: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
} as const;
export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

export interface ButtonProps {
  label: string;
  icon?: IconName;
  /** Shown beside the icon; without it, the label is only a tooltip. */
  text?: string;
  key?: string;
  class?: string;
  onPress: () => void;
}

export function button(props: ButtonProps): HTMLButtonElement {
  const tip = props.key === undefined ? props.label : `${props.label} (${props.key})`;
  const element = h(
    'button',
    {
      type: 'button',
      class: `button ${props.class ?? ''}`.trim(),
      'aria-label': props.text === props.label ? null : props.label,
      title: tip,
      'aria-keyshortcuts': props.key ?? null,
      on: {
        click: (event) => {
          props.onPress();
          // After a mouse click, keys go to the view: Space plays and does not press the button
          // again.
          if (event.detail > 0) element.blur();
        },
      },
    },
    props.icon !== undefined && icon(props.icon),
    props.text !== undefined && h('span', {}, props.text),
  );
  return element;
}

export function setPressed(element: HTMLElement, pressed: boolean): void {
  element.setAttribute('aria-pressed', String(pressed));
}

/** A part of a panel that folds; remembers during the visit whether it is open. */
const openParts = new Map<string, boolean>();
export function section(
  key: string,
  title: string,
  open: boolean,
  ...children: Child[]
): HTMLDetailsElement {
  const element = h(
    'details',
    { class: 'section', open: openParts.get(key) ?? open, 'data-section': key },
    h('summary', {}, title),
    h('div', { class: 'section-body' }, ...children),
  );
  element.addEventListener('toggle', () => openParts.set(key, element.open));
  return element;
}

/** A label and its control, in one line. */
export function row(label: string, control: HTMLElement, unit = ''): HTMLElement {
  const id = control.id === '' ? (control.id = newId('control')) : control.id;
  return h(
    'div',
    { class: 'row' },
    h('label', { for: id }, label),
    control,
    unit !== '' && h('span', { class: 'unit' }, unit),
  );
}

export function choice(
  options: { value: string; text: string }[],
  value: string,
  onChoose: (value: string) => void,
): HTMLSelectElement {
  const element = h('select', { on: { change: () => onChoose(element.value) } });
  for (const o of options) {
    element.append(h('option', { value: o.value, selected: o.value === value }, o.text));
  }
  element.value = value;
  return element;
}

export function checkbox(
  label: string,
  checked: boolean,
  onChange: (checked: boolean) => void,
): HTMLLabelElement {
  const input = h('input', {
    type: 'checkbox',
    checked,
    on: { change: () => onChange(input.checked) },
  });
  return h('label', { class: 'check' }, input, label);
}

/** Offers a file for download. */
export function download(name: string, content: BlobPart, type = 'application/octet-stream'): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const anchor = h('a', { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A number for people: at most `digits` significant digits, no long rows of zeros. */
export function readable(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    return value
      .toExponential(Math.max(0, digits - 2))
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  }
  return String(Number(value.toPrecision(digits)));
}
