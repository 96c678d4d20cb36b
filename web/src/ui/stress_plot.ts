/** Stress against stretch of a material, sampled by the engine. */
import type { Client } from '../engine/client';
import { isObject } from '../protocol/packet';
import { readPoints } from './curve_editor';
import { h } from './dom';
import { Plot } from './plot';
import type { Point } from './spline';
import type { Young } from './elastic';

export interface Description {
  uniaxial: Point[];
  /** For a spline or a preset of it: the points of its curves, by their keys. */
  points: { [curve: string]: Point[] };
  moduli: Young | null;
}

const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((v): v is number => typeof v === 'number') : [];

export class StressPlot {
  readonly element: HTMLElement;
  private readonly plot = new Plot({
    height: 110,
    x: 'stretch',
    y: 'P₁₁, Pa',
    label: 'Stress against stretch, when stretched along one axis',
  });
  private asked = false;
  private again = false;
  private last: Description | null = null;

  constructor(
    private readonly client: Client,
    private readonly body: number,
    private readonly pointer: string,
  ) {
    this.element = h(
      'div',
      { class: 'stress-plot' },
      h('div', { class: 'curve-title' }, 'Stress when stretched along one axis'),
      this.plot.element,
    );
  }

  async describe(): Promise<Description | null> {
    try {
      const { header } = await this.client.request('describe_material', {
        body: this.body,
        pointer: this.pointer,
      });
      const stretch = numbers(header['stretch']);
      const stress = Array.isArray(header['uniaxial']) ? header['uniaxial'] : [];
      const points: Description['points'] = {};
      for (const [key, value] of Object.entries(
        isObject(header['points']) ? header['points'] : {},
      )) {
        points[key] = readPoints(value) ?? [];
      }
      const small = header['small_strain'];
      const [young, poisson] = isObject(small) ? [small['young'], small['poisson']] : [];
      this.last = {
        uniaxial: stretch
          .map((x, i): [number, unknown] => [x, stress[i]])
          .filter((p): p is Point => typeof p[1] === 'number'),
        points,
        moduli:
          typeof young === 'number' && typeof poisson === 'number' ? { young, poisson } : null,
      };
      return this.last;
    } catch {
      // A body of springs has no such curve.
      return null;
    }
  }

  /** The moduli at small strains, if known. */
  get moduli(): Young | null {
    return this.last?.moduli ?? null;
  }

  refresh(): void {
    if (!this.element.isConnected && this.last !== null) return;
    if (this.asked) {
      this.again = true;
      return;
    }
    this.asked = true;
    void this.describe().then((answer) => {
      this.asked = false;
      this.element.hidden = answer === null || answer.uniaxial.length === 0;
      if (answer !== null) {
        this.plot.show([{ name: 'uniaxial', points: answer.uniaxial }]);
        this.element.dataset['stress'] = JSON.stringify(answer.uniaxial.at(-1) ?? null);
      }
      if (this.again) {
        this.again = false;
        this.refresh();
      }
    });
  }
}
