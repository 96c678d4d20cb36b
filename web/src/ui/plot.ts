/**
 * Small plots on a canvas: lines with different colours and dashes, linear or logarithmic, with
 * only the numbers that are needed to read them.
 */
import { h, readable } from './dom';
import { onTheme } from './theme';

export interface Line {
  name: string;
  points: ArrayLike<readonly [number, number]>;
}
export interface PlotOptions {
  height: number;
  label: string;
  x?: string;
  y?: string;
  logY?: boolean;
  /** Show a name for each line in a legend below. */
  legend?: boolean;
}

// Okabe & Ito; the lines on white are darker.
export const DARK_LINES = ['#56b4e9', '#e69f00', '#2fc79a', '#e29cc5'];
export const LIGHT_LINES = ['#0072b2', '#b35a00', '#00734f', '#9c3f74'];
const DASHES = [[], [7, 3], [2, 3], [8, 3, 2, 3]];
const MARGIN = { left: 44, right: 8, top: 22, bottom: 18 };

/** Round numbers from low to high, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * unit).find((s) => s >= rough)!;
  const list: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * span; v += step) {
    list.push(Math.abs(v) < 1e-9 * span ? 0 : v);
  }
  return list;
}

export class Plot {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly keys = h('div', { class: 'plot-keys' });
  private lines: Line[] = [];
  private dark = true;
  private shownKeys = '';
  private queued = false;

  constructor(private readonly options: PlotOptions) {
    this.canvas = h('canvas', { role: 'img', 'aria-label': options.label });
    this.canvas.style.height = `${options.height}px`;
    this.element = h('div', { class: 'plot' }, this.canvas, this.keys);
    onTheme((theme) => {
      this.dark = theme.dark;
      this.shownKeys = '';
      this.queue();
    });
    new ResizeObserver(() => this.queue()).observe(this.canvas);
  }

  show(lines: Line[]): void {
    this.lines = lines;
    this.queue();
  }

  /** Draws the plot at most once per animation frame, however often this is called. */
  private queue(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => {
      this.queued = false;
      if (this.canvas.clientWidth > 0) this.draw();
    });
  }

  private range(): { x0: number; x1: number; y0: number; y1: number } {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { points } of this.lines) {
      for (let i = 0; i < points.length; i++) {
        const [x, y] = points[i]!;
        if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
        if (this.options.logY === true && y <= 0) continue;
        x0 = Math.min(x0, x);
        x1 = Math.max(x1, x);
        y0 = Math.min(y0, y);
        y1 = Math.max(y1, y);
      }
    }
    if (x0 > x1) [x0, x1, y0, y1] = [0, 1, this.options.logY === true ? 0.1 : 0, 1];
    if (x0 === x1) x1 = x0 + 1;
    if (this.options.logY === true) {
      [y0, y1] = [Math.floor(Math.log10(y0) + 1e-9), Math.ceil(Math.log10(y1) - 1e-9)];
      if (y0 === y1) y1 = y0 + 1;
      // More than sixteen powers of ten below the top there is only rounding.
      y0 = Math.max(y0, y1 - 16);
    } else if (y0 === y1) {
      [y0, y1] = y0 === 0 ? [0, 1] : [Math.min(0, 1.1 * y0), Math.max(0, 1.1 * y1)];
    }
    return { x0, x1, y0, y1 };
  }

  private draw(): void {
    const ratio = window.devicePixelRatio;
    const width = this.canvas.clientWidth;
    const { height, logY = false } = this.options;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const c = this.canvas.getContext('2d');
    if (c === null) return;
    c.scale(ratio, ratio);
    const style = getComputedStyle(this.canvas);
    const text = style.getPropertyValue('--dim');
    const grid = style.getPropertyValue('--line');
    const { x0, x1, y0, y1 } = this.range();
    const w = width - MARGIN.left - MARGIN.right;
    const t = height - MARGIN.top - MARGIN.bottom;
    const px = (x: number): number => MARGIN.left + ((x - x0) / (x1 - x0)) * w;
    const py = (y: number): number => MARGIN.top + ((y1 - y) / (y1 - y0)) * t;

    c.font = `11px ${style.fontFamily}`;
    c.fillStyle = text;
    c.strokeStyle = grid;
    c.lineWidth = 1;
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    const rows = logY ? logTicks(y0, y1, Math.max(2, t / 26)) : ticks(y0, y1, Math.max(2, t / 30));
    for (const y of rows) {
      const at = Math.round(py(y)) + 0.5;
      c.beginPath();
      c.moveTo(MARGIN.left, at);
      c.lineTo(width - MARGIN.right, at);
      c.stroke();
      c.fillText(logY ? `1e${y}` : readable(y, 3), MARGIN.left - 5, at);
    }
    c.textAlign = 'center';
    c.textBaseline = 'top';
    for (const x of ticks(x0, x1, Math.max(2, w / 60))) {
      const at = Math.min(width - 14, px(x));
      c.fillText(readable(x, 3), at, height - MARGIN.bottom + 4);
    }
    c.textBaseline = 'alphabetic';
    c.textAlign = 'left';
    if (this.options.y !== undefined) c.fillText(this.options.y, 2, 10);
    c.textAlign = 'right';
    if (this.options.x !== undefined) c.fillText(this.options.x, width - MARGIN.right, 10);

    c.save();
    c.beginPath();
    c.rect(MARGIN.left, MARGIN.top - 2, w + 2, t + 4);
    c.clip();
    const colours = this.dark ? DARK_LINES : LIGHT_LINES;
    c.lineWidth = 1.8;
    c.lineJoin = 'round';
    this.lines.forEach(({ points }, i) => {
      c.strokeStyle = colours[i % colours.length]!;
      c.setLineDash(DASHES[i % DASHES.length]!);
      c.beginPath();
      let pen = false;
      for (let k = 0; k < points.length; k++) {
        const [x, y] = points[k]!;
        const v = logY ? Math.log10(y) : y;
        if (!Number.isFinite(x) || !Number.isFinite(v)) {
          pen = false;
          continue;
        }
        if (pen) c.lineTo(px(x), py(v));
        else c.moveTo(px(x), py(v));
        pen = true;
      }
      c.stroke();
      if (points.length === 1) {
        // Not yet a line: draw a mark, so that the point is visible.
        const [x, y] = points[0]!;
        c.fillStyle = c.strokeStyle;
        c.fillRect(px(x) - 2, py(logY ? Math.log10(y) : y) - 2, 4, 4);
      }
    });
    c.restore();
    if (this.options.legend === true) this.drawKeys(colours);
  }

  private drawKeys(colours: string[]): void {
    const names = this.lines.map((l) => l.name).join('\n');
    if (names === this.shownKeys) return;
    this.shownKeys = names;
    this.keys.replaceChildren(
      ...this.lines.map(({ name }, i) => {
        const sample = h('canvas', { width: 48, height: 8, class: 'plot-key' });
        const c = sample.getContext('2d');
        if (c !== null) {
          c.strokeStyle = colours[i % colours.length]!;
          c.lineWidth = 4;
          c.setLineDash(DASHES[i % DASHES.length]!.map((d) => 2 * d));
          c.moveTo(0, 4);
          c.lineTo(48, 4);
          c.stroke();
        }
        return h('span', {}, sample, name);
      }),
    );
  }
}

/** Powers of ten, every one or every n-th. */
function logTicks(low: number, high: number, count: number): number[] {
  const every = Math.max(1, Math.ceil((high - low) / count));
  const list: number[] = [];
  for (let p = high; p >= low; p -= every) list.push(p);
  return list;
}
