/** What the page itself costs: milliseconds of script per frame, frames drawn per second. */
const KEPT = 120;

class Recent {
  private readonly values = new Float64Array(KEPT);
  private readonly sorted = new Float64Array(KEPT);
  private count = 0;

  add(value: number): void {
    this.values[this.count++ % KEPT] = value;
  }

  median(): number {
    const n = Math.min(this.count, KEPT);
    if (n === 0) return NaN;
    const part = this.sorted.subarray(0, n);
    part.set(this.values.subarray(0, n));
    part.sort();
    return part[n >> 1]!;
  }

  clear(): void {
    this.count = 0;
  }
}

export class Stats {
  private readonly script = new Recent();
  private readonly draw = new Recent();
  private readonly times: number[] = [];
  /** Frames shown since the page was opened. */
  frames = 0;

  updated(ms: number): void {
    this.frames++;
    this.script.add(ms);
  }

  drawn(now: number, ms: number): void {
    this.draw.add(ms);
    this.times.push(now);
    while (this.times.length > 0 && this.times[0]! < now - 1000) this.times.shift();
  }

  /**
   * Median over the last 120 updates: buffers, normals, colours, markers; without reading messages.
   */
  get script_ms(): number {
    return this.script.median();
  }

  /** Median time of the drawing calls, without the graphics card's work. */
  get draw_ms(): number {
    return this.draw.median();
  }

  /** Frames drawn in the last second. */
  get fps(): number {
    const now = performance.now();
    return this.times.filter((t) => t > now - 1000).length;
  }

  clear(): void {
    this.script.clear();
    this.draw.clear();
  }
}
