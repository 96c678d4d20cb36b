/**
 * The moduli of a material in both ways: sliders for the chosen pair, and below them the other pair
 * as numbers that follow. The pair that the scene has is always the one sent, whichever is shown.
 */
import type { Field } from '../protocol/scene';
import type { Json } from '../protocol/packet';
import { button, clear, h, readable, setPressed } from './dom';
import { lameOf, youngOf, type Lame, type Young } from './elastic';
import { FieldRow } from './field_control';

type Pair = 'young' | 'lame';
/** The shown pair, one choice for all materials. */
let shownPair: Pair | null = null;

export class ElasticPart {
  readonly element = h('div', { class: 'elastic' });
  readonly pointers: string[];
  private young: Young;
  private readonly stored: Pair;
  private rows: [string, FieldRow][] = [];
  private changed = false;
  private readonly other = h('p', { class: 'hint' });
  private readonly rowsElement = h('div');
  private readonly tabs: [Pair, HTMLButtonElement][];

  constructor(
    private readonly fields: [Field, Field],
    values: [number, number],
    private readonly send: (values: { [pointer: string]: Json }, final: boolean) => void,
  ) {
    this.stored = fields[0].pointer.endsWith('/mu') ? 'lame' : 'young';
    this.pointers = fields.map((f) => f.pointer);
    this.young = this.read(values);
    this.tabs = (['young', 'lame'] as const).map((pair) => [
      pair,
      button({
        label: pair === 'young' ? 'E, ν' : 'μ, λ',
        text: pair === 'young' ? 'E, ν' : 'μ, λ',
        onPress: () => {
          shownPair = pair;
          this.build();
        },
      }),
    ]);
    this.element.append(
      h(
        'div',
        { class: 'segments', role: 'group', 'aria-label': 'Moduli' },
        ...this.tabs.map(([, b]) => b),
      ),
      this.rowsElement,
      this.other,
    );
    this.build();
  }

  private read(values: [number, number]): Young {
    const [first, second] = values;
    return this.stored === 'young'
      ? { young: first, poisson: second }
      : youngOf({ mu: first, lambda: second });
  }

  private get shown(): Pair {
    return shownPair ?? this.stored;
  }

  private build(): void {
    for (const [pair, b] of this.tabs) setPressed(b, pair === this.shown);
    const isYoung = this.shown === 'young';
    const lame = lameOf(this.young);
    // The two ranges depend on each other, so the engine gives none.
    const field = (i: 0 | 1, name: string): Field => {
      const ratio = name === 'poisson';
      return {
        ...this.fields[i],
        pointer: this.fields[i].pointer.replace(/[^/]+$/, name),
        low: 0,
        high: ratio ? 0.5 : null,
        lowIncluded: ratio || name === 'lambda',
        highIncluded: false,
        unit: ratio ? '' : 'Pa',
        default: null,
      };
    };
    const make = (i: 0 | 1, name: keyof Young | keyof Lame, label: string, value: number) =>
      [
        name,
        new FieldRow(field(i, name), label, value, (v, final) => this.edit(name, v, final)),
      ] as [string, FieldRow];
    this.rows = isYoung
      ? [
          make(0, 'young', 'Young’s modulus', this.young.young),
          make(1, 'poisson', 'Poisson’s ratio', this.young.poisson),
        ]
      : [make(0, 'mu', 'Lamé μ', lame.mu), make(1, 'lambda', 'Lamé λ', lame.lambda)];
    clear(this.rowsElement, ...this.rows.map(([, r]) => r.element));
    this.show();
  }

  private edit(name: string, value: Json, final: boolean): void {
    if (typeof value !== 'number') return;
    if (name === 'young' || name === 'poisson') this.young = { ...this.young, [name]: value };
    else this.young = youngOf({ ...lameOf(this.young), [name]: value });
    const lame = lameOf(this.young);
    const pair =
      this.stored === 'young' ? [this.young.young, this.young.poisson] : [lame.mu, lame.lambda];
    this.show();
    this.send({ [this.pointers[0]!]: pair[0]!, [this.pointers[1]!]: pair[1]! }, final);
  }

  private show(): void {
    const lame = lameOf(this.young);
    const all: { [name: string]: number } = { ...this.young, ...lame };
    for (const [name, row] of this.rows) row.update(all[name]!, this.changed);
    this.other.textContent =
      this.shown === 'young'
        ? `μ ${readable(lame.mu)} Pa, λ ${readable(lame.lambda)} Pa`
        : `E ${readable(this.young.young)} Pa, ν ${readable(this.young.poisson)}`;
  }

  update(values: [number, number], changed: boolean): void {
    this.young = this.read(values);
    this.changed = changed;
    this.show();
  }

  showError(text: string | null): void {
    this.rows[0]?.[1].showError(text);
  }
}
