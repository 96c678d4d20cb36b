/** The last points of a curve over time, oldest first. */
export class History {
  readonly points: [number, number][] = [];

  constructor(private readonly most: number) {}

  add(x: number, y: number): void {
    if (this.points.length < this.most) {
      this.points.push([x, y]);
      return;
    }
    // The oldest point is reused for the newest one.
    const first = this.points.shift()!;
    first[0] = x;
    first[1] = y;
    this.points.push(first);
  }

  clear(): void {
    this.points.length = 0;
  }
}
