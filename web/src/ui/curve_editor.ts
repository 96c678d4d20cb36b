/**
 * A curve through points that can be dragged. A double click (or the key A) adds a point, Delete
 * removes one, and the arrow keys move the one that has the focus.
 */
import { button, clear, h, readable } from './dom';
import { movePoint, naturalSpline, type Curve, type Point } from './spline';

const WIDTH = 264;
const HEIGHT = 150;
const MARGIN = { left: 8, right: 8, top: 8, bottom: 18 };
const SPACE = 'http://www.w3.org/2000/svg';

type Attributes = { [name: string]: string | number };

function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes,
  ...children: Element[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export class CurveEditor {
  readonly element: HTMLElement;
  private readonly plot: SVGSVGElement;
  private readonly readout = h('output', { class: 'hint' });
  private points: Point[] = [];
  private box = { x0: 0, x1: 2, y0: -1, y1: 1 };
  private dragging = -1;

  constructor(
    label: string,
    private readonly unit: string,
    points: Point[],
    private readonly changed: (points: Point[], final: boolean) => void,
    private readonly through: Curve = naturalSpline,
  ) {
    this.plot = svg('svg', {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: 'curve',
      role: 'group',
      'aria-label': `${label}: points of stretch and stress`,
    });
    this.plot.addEventListener('dblclick', (event) => this.add(this.toPoint(event)));
    this.plot.addEventListener('pointermove', (event) => this.drag(event));
    this.plot.addEventListener('pointerup', () => this.drop());
    this.plot.addEventListener('pointercancel', () => this.drop());
    this.element = h(
      'div',
      { class: 'curve-editor' },
      this.plot as unknown as HTMLElement,
      h(
        'div',
        { class: 'curve-foot' },
        this.readout,
        button({
          label: 'Add a point',
          text: 'Add point',
          class: 'plain small',
          onPress: () => this.addInWidestGap(),
        }),
      ),
    );
    this.update(points);
  }

  update(points: Point[]): void {
    if (this.dragging >= 0) return;
    this.points = points.map(([x, y]) => [x, y]);
    this.fit();
    this.draw();
  }

  private fit(): void {
    const xs = this.points.map((p) => p[0]);
    const ys = this.points.map((p) => p[1]);
    const [x0, x1] = xs.length > 0 ? [Math.min(...xs), Math.max(...xs)] : [0, 2];
    const y0 = Math.min(0, ...ys);
    const y1 = Math.max(0, ...ys);
    const dx = 0.06 * (x1 - x0 || 1);
    const dy = 0.12 * (y1 - y0 || 1000);
    this.box = { x0: x0 - dx, x1: x1 + dx, y0: y0 - dy, y1: y1 + dy };
  }

  private toScreen([x, y]: Point): Point {
    const { x0, x1, y0, y1 } = this.box;
    const width = WIDTH - MARGIN.left - MARGIN.right;
    const height = HEIGHT - MARGIN.top - MARGIN.bottom;
    return [
      MARGIN.left + ((x - x0) / (x1 - x0)) * width,
      MARGIN.top + ((y1 - y) / (y1 - y0)) * height,
    ];
  }

  private toPoint(event: MouseEvent): Point {
    const box = this.plot.getBoundingClientRect();
    const { x0, x1, y0, y1 } = this.box;
    const sx = ((event.clientX - box.left) / box.width) * WIDTH;
    const sy = ((event.clientY - box.top) / box.height) * HEIGHT;
    const u = (sx - MARGIN.left) / (WIDTH - MARGIN.left - MARGIN.right);
    const v = (sy - MARGIN.top) / (HEIGHT - MARGIN.top - MARGIN.bottom);
    return [x0 + u * (x1 - x0), y1 - v * (y1 - y0)];
  }

  private draw(focus = -1): void {
    const { x0, x1, y0, y1 } = this.box;
    const curve = this.through(this.points);
    const steps = 160;
    const path = Array.from({ length: steps + 1 }, (_, i) => {
      const x = x0 + ((x1 - x0) * i) / steps;
      const y = Math.min(y1 + (y1 - y0), Math.max(y0 - (y1 - y0), curve(x)));
      return this.toScreen([x, y])
        .map((v) => v.toFixed(1))
        .join(' ');
    });
    const [, zero] = this.toScreen([x0, 0]);
    const parts: Element[] = [
      svg('line', { x1: 0, x2: WIDTH, y1: zero, y2: zero, class: 'curve-axis' }),
    ];
    if (x0 < 1 && x1 > 1) {
      const [one] = this.toScreen([1, 0]);
      const label = svg('text', { x: one, y: HEIGHT - 4, class: 'curve-label' });
      label.textContent = 'rest: 1';
      parts.push(
        svg('line', { x1: one, x2: one, y1: 0, y2: HEIGHT - 14, class: 'curve-axis' }),
        label,
      );
    }
    parts.push(svg('path', { d: `M${path.join('L')}`, class: 'curve-line' }));
    this.points.forEach((point, i) => parts.push(this.handle(point, i)));
    clear(this.plot, ...parts);
    if (focus >= 0) (this.plot.querySelectorAll('.curve-point')[focus] as SVGElement)?.focus();
  }

  private describe(i: number): string {
    const [x, y] = this.points[i]!;
    return `stretch ${readable(x, 3)}, ${readable(y, 3)} ${this.unit}`;
  }

  private handle(point: Point, i: number): Element {
    const [x, y] = this.toScreen(point);
    const handle = svg(
      'g',
      {
        class: 'curve-point',
        tabindex: 0,
        role: 'slider',
        'aria-label': `Point ${i + 1}`,
        'aria-valuetext': this.describe(i),
        'aria-valuenow': point[1],
        'data-point': i,
      },
      svg('circle', { cx: x, cy: y, r: 12, class: 'curve-reach' }),
      svg('circle', { cx: x, cy: y, r: 4.5, class: 'curve-dot' }),
    );
    handle.addEventListener('pointerdown', (event) => {
      this.dragging = i;
      this.plot.setPointerCapture(event.pointerId);
      this.readout.textContent = this.describe(i);
      event.preventDefault();
      event.stopPropagation();
    });
    handle.addEventListener('focus', () => (this.readout.textContent = this.describe(i)));
    handle.addEventListener('keydown', (event) => this.key(event, i));
    return handle;
  }

  private get gap(): number {
    return 1e-3 * (this.box.x1 - this.box.x0);
  }

  private drag(event: PointerEvent): void {
    if (this.dragging < 0) return;
    this.points = movePoint(this.points, this.dragging, this.toPoint(event), this.gap);
    this.readout.textContent = this.describe(this.dragging);
    this.draw();
    this.changed(this.points, false);
  }

  private drop(): void {
    if (this.dragging < 0) return;
    this.dragging = -1;
    this.fit();
    this.draw();
    this.changed(this.points, true);
  }

  private add(point: Point): void {
    const at = this.points.findIndex((p) => p[0] > point[0]);
    const i = at < 0 ? this.points.length : at;
    if (this.points.some((p) => Math.abs(p[0] - point[0]) < this.gap)) return;
    this.points = [...this.points.slice(0, i), point, ...this.points.slice(i)];
    this.fit();
    this.draw(i);
    if (this.points.length >= 2) this.changed(this.points, true);
  }

  private addInWidestGap(): void {
    const { points } = this;
    if (points.length < 2) return this.add(points.length === 0 ? [0.5, 0] : [points[0]![0] + 1, 0]);
    let widest = 0;
    for (let i = 1; i + 1 < points.length; i++) {
      const width = points[i + 1]![0] - points[i]![0];
      if (width > points[widest + 1]![0] - points[widest]![0]) widest = i;
    }
    const x = (points[widest]![0] + points[widest + 1]![0]) / 2;
    this.add([x, this.through(points)(x)]);
  }

  private key(event: KeyboardEvent, i: number): void {
    const { x0, x1, y0, y1 } = this.box;
    const [x, y] = this.points[i]!;
    const fine = event.shiftKey ? 0.1 : 1;
    const dx = 0.01 * (x1 - x0) * fine;
    const dy = 0.02 * (y1 - y0) * fine;
    const moves: { [key: string]: Point } = {
      ArrowLeft: [x - dx, y],
      ArrowRight: [x + dx, y],
      ArrowUp: [x, y + dy],
      ArrowDown: [x, y - dy],
    };
    const to = moves[event.key];
    if (to !== undefined) {
      this.points = movePoint(this.points, i, to, this.gap);
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && this.points.length > 2) {
      this.points = this.points.filter((_, j) => j !== i);
      i = Math.min(i, this.points.length - 1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.fit();
    this.draw(i);
    this.readout.textContent = this.describe(i);
    this.changed(this.points, true);
  }
}

/** Points as a scene has them; null if the value is something else. */
export function readPoints(value: unknown): Point[] | null {
  if (!Array.isArray(value)) return value === undefined || value === null ? [] : null;
  const points: Point[] = [];
  for (const pair of value as unknown[]) {
    if (!Array.isArray(pair) || pair.length !== 2) return null;
    const [x, y] = pair as unknown[];
    if (typeof x !== 'number' || typeof y !== 'number') return null;
    points.push([x, y]);
  }
  return points;
}
