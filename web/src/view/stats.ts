/** What the page itself costs: milliseconds of script a frame, pictures a second. */
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
  /** Frames taken in since the page was opened. */
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

  /** Median of the last 120 frames drawn: buffers, normals, colours, markers; not reading the message. */
  get script_ms(): number {
    return this.script.median();
  }

  /** Median time of the calls that draw; what the graphics card does with them is not in it. */
  get draw_ms(): number {
    return this.draw.median();
  }

  /** Pictures drawn in the last second. */
  get fps(): number {
    const now = performance.now();
    return this.times.filter((t) => t > now - 1000).length;
  }

  clear(): void {
    this.script.clear();
    this.draw.clear();
  }
}
