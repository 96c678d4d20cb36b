/** The curve that the engine draws through control points: a natural cubic spline, straight beyond. */
export type Point = [number, number];

/** Second derivatives at the points: the tridiagonal system of the natural spline, by elimination. */
function secondDerivatives(points: Point[]): number[] {
  const n = points.length;
  const m = new Array<number>(n).fill(0);
  const upper = new Array<number>(n).fill(0);
  for (let i = 1; i < n - 1; i++) {
    const [x0, y0] = points[i - 1]!;
    const [x1, y1] = points[i]!;
    const [x2, y2] = points[i + 1]!;
    const left = x1 - x0;
    const right = x2 - x1;
    const bend = 6 * ((y2 - y1) / right - (y1 - y0) / left);
    const pivot = 2 * (left + right) - left * upper[i - 1]!;
    upper[i] = right / pivot;
    m[i] = (bend - left * m[i - 1]!) / pivot;
  }
  for (let i = n - 2; i > 0; i--) m[i]! -= upper[i]! * m[i + 1]!;
  return m;
}

/** points: ascending in x; fewer than two are the zero function. */
export function naturalSpline(points: Point[]): (x: number) => number {
  if (points.length < 2) return () => 0;
  const m = secondDerivatives(points);
  const last = points.length - 1;
  const slopeAt = (i: number, j: number): number => {
    // Of the piece between i and j = i + 1 or i - 1, at point i.
    const [a, b] = i < j ? [i, j] : [j, i];
    const width = points[b]![0] - points[a]![0];
    const chord = (points[b]![1] - points[a]![1]) / width;
    const [ma, mb] = [m[a]!, m[b]!];
    return i < j ? chord - (width * (2 * ma + mb)) / 6 : chord + (width * (ma + 2 * mb)) / 6;
  };
  const first = slopeAt(0, 1);
  const end = slopeAt(last, last - 1);
  return (x) => {
    if (x <= points[0]![0]) return points[0]![1] + first * (x - points[0]![0]);
    if (x >= points[last]![0]) return points[last]![1] + end * (x - points[last]![0]);
    let i = 1;
    while (points[i]![0] < x) i++;
    const [x0, y0] = points[i - 1]!;
    const [x1, y1] = points[i]!;
    const h = x1 - x0;
    const a = (x1 - x) / h;
    const b = (x - x0) / h;
    const bend = (((a ** 3 - a) * m[i - 1]! + (b ** 3 - b) * m[i]!) * (h * h)) / 6;
    return a * y0 + b * y1 + bend;
  };
}

/** Points moved apart so that x ascends; the one at `kept` stays between its neighbours. */
export function movePoint(points: Point[], kept: number, to: Point, gap: number): Point[] {
  const low = kept > 0 ? points[kept - 1]![0] + gap : -Infinity;
  const high = kept < points.length - 1 ? points[kept + 1]![0] - gap : Infinity;
  const moved: Point = [Math.min(high, Math.max(low, to[0])), to[1]];
  return points.map((point, i) => (i === kept ? moved : point));
}
