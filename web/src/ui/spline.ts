/** The curves that the engine draws through control points: cubic between them, straight beyond. */
export type Point = [number, number];

/**
 * Second derivatives at the points: solves the natural spline's tridiagonal system by elimination.
 */
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

function naturalSlopes(points: Point[]): number[] {
  const m = secondDerivatives(points);
  const last = points.length - 1;
  return points.map((_, k) => {
    const i = Math.min(k, last - 1);
    const width = points[i + 1]![0] - points[i]![0];
    const chord = (points[i + 1]![1] - points[i]![1]) / width;
    const [left, right] = [m[i]!, m[i + 1]!];
    return k === i
      ? chord - (width * (2 * left + right)) / 6
      : chord + (width * (left + 2 * right)) / 6;
  });
}

/**
 * Steffen's slopes: those of parabolas through three neighbours, limited by the chords on both
 * sides.
 */
function monotoneSlopes(points: Point[]): number[] {
  const widths = points.slice(1).map((p, i) => p[0] - points[i]![0]);
  const chords = points.slice(1).map((p, i) => (p[1] - points[i]![1]) / widths[i]!);
  const limited = (slope: number, chord: number): number => {
    if (!(slope * chord > 0)) return 0;
    return Math.abs(slope) > 2 * Math.abs(chord) ? 2 * chord : slope;
  };
  const atEnd = (end: number, next: number): number => {
    const share = widths[end]! / (widths[end]! + widths[next]!);
    return limited(chords[end]! + share * (chords[end]! - chords[next]!), chords[end]!);
  };
  const last = points.length - 1;
  if (last === 1) return [chords[0]!, chords[0]!];
  return points.map((_, i) => {
    if (i === 0) return atEnd(0, 1);
    if (i === last) return atEnd(last - 1, last - 2);
    const [h, k, before, after] = [widths[i - 1]!, widths[i]!, chords[i - 1]!, chords[i]!];
    if (!(before * after > 0)) return 0;
    return limited(limited((before * k + after * h) / (h + k), before), after);
  });
}

export type Curve = (points: Point[]) => (x: number) => number;

/** points: ascending in x; with fewer than two the curve is zero. */
const through =
  (slopesOf: (points: Point[]) => number[]): Curve =>
  (points) => {
    if (points.length < 2) return () => 0;
    const slopes = slopesOf(points);
    const last = points.length - 1;
    return (x) => {
      if (x <= points[0]![0]) return points[0]![1] + slopes[0]! * (x - points[0]![0]);
      if (x >= points[last]![0]) return points[last]![1] + slopes[last]! * (x - points[last]![0]);
      let i = 1;
      while (points[i]![0] < x) i++;
      const [x0, y0] = points[i - 1]!;
      const [x1, y1] = points[i]!;
      const h = x1 - x0;
      const t = (x - x0) / h;
      const [m0, m1] = [h * slopes[i - 1]!, h * slopes[i]!];
      return y0 + t * (m0 + t * (3 * (y1 - y0) - 2 * m0 - m1 + t * (m0 + m1 - 2 * (y1 - y0))));
    };
  };

/** The curve of a material: a natural cubic spline. */
export const naturalSpline = through(naturalSlopes);
/** The curve of fibers, which rises wherever its points do. */
export const monotoneSpline = through(monotoneSlopes);

/** Moves a point so that x still ascends: the point at `kept` stays between its neighbours. */
export function movePoint(points: Point[], kept: number, to: Point, gap: number): Point[] {
  const low = kept > 0 ? points[kept - 1]![0] + gap : -Infinity;
  const high = kept < points.length - 1 ? points[kept + 1]![0] - gap : Infinity;
  const moved: Point = [Math.min(high, Math.max(low, to[0])), to[1]];
  return points.map((point, i) => (i === kept ? moved : point));
}
