import { describe, expect, it } from 'vitest';
import type { Field } from '../../src/protocol/scene';
import { readLink, writeLink } from '../../src/keep/link';
import { filesOf, plainName } from '../../src/keep/files';
import { backoff, sessionAddress } from '../../src/engine/websocket_engine';
import { readPoints } from '../../src/ui/curve_editor';
import { lameOf, youngOf } from '../../src/ui/elastic';
import { labelOf, valueAt } from '../../src/ui/labels';
import { noteOf } from '../../src/ui/force_legend';
import { ticks } from '../../src/ui/plot';
import { scaleFor } from '../../src/ui/slider_scale';
import { monotoneSpline, movePoint, naturalSpline, type Point } from '../../src/ui/spline';

const field = (more: Partial<Field>): Field => ({
  pointer: '/solver/iterations',
  type: 'number',
  low: null,
  high: null,
  lowIncluded: true,
  highIncluded: true,
  unit: '',
  choices: [],
  what: '',
  default: null,
  ...more,
});

describe('a slider', () => {
  const cases: [string, Field, number][] = [
    ['a modulus', field({ low: 0, lowIncluded: false }), 1e5],
    ['a stiffness that may be zero', field({ low: 0, default: 1e5 }), 0],
    ['a ratio', field({ low: -1, high: 0.5, lowIncluded: false, highIncluded: false }), 0.45],
    ['a number of iterations', field({ type: 'integer', low: 1, default: 10 }), 10],
    ['a wide whole range', field({ type: 'integer', low: 0, high: 1000, default: 5 }), 5],
    ['an open number', field({}), -9.81],
    ['a share', field({ low: 0, high: 1 }), 0.5],
  ];
  it.each(cases)('of %s leads there and back', (_name, f, value) => {
    const scale = scaleFor(f, value);
    // Three digits of the value, or of the range if that includes negative values.
    const back = scale.toValue(scale.toPlace(value));
    expect(Math.abs(back - value)).toBeLessThan(0.005 * Math.max(Math.abs(value), 1));
    for (let place = 0; place <= 1; place += 0.01) {
      const v = scale.toValue(place);
      if (f.low !== null) expect(v).toBeGreaterThanOrEqual(f.low);
      if (f.high !== null) expect(v).toBeLessThanOrEqual(f.high);
      if (f.low !== null && !f.lowIncluded) expect(v).toBeGreaterThan(f.low);
      if (f.high !== null && !f.highIncluded) expect(v).toBeLessThan(f.high);
      if (f.type === 'integer') expect(Number.isInteger(v)).toBe(true);
      // About a third of a percent: values have three digits.
      if (v > 0 && f.type !== 'integer') expect(scale.toValue(scale.toPlace(v))).toBeCloseTo(v, 1);
    }
  });

  it('of a range over decades is logarithmic', () => {
    const scale = scaleFor(field({ low: 0, lowIncluded: false, default: 1e5 }), 1e5);
    expect(scale.toValue(0.75) / scale.toValue(0.5)).toBeCloseTo(
      scale.toValue(1) / scale.toValue(0.75),
      0,
    );
  });
});

describe('moduli', () => {
  it('are converted there and back', () => {
    for (const poisson of [-0.4, 0, 0.3, 0.499]) {
      const back = youngOf(lameOf({ young: 2e5, poisson }));
      expect(back.young).toBeCloseTo(2e5, 4);
      expect(back.poisson).toBeCloseTo(poisson, 10);
    }
  });

  it('of rubber are those of the textbook', () => {
    const { mu, lambda } = lameOf({ young: 3e6, poisson: 0.25 });
    expect(mu).toBeCloseTo(1.2e6, 3);
    expect(lambda).toBeCloseTo(1.2e6, 3);
  });
});

describe('a curve', () => {
  const points: Point[] = [
    [0, 0],
    [1, 1],
    [2, 0],
    [4, 3],
  ];

  it('runs through its points, straight beyond them', () => {
    const f = naturalSpline(points);
    for (const [x, y] of points) expect(f(x)).toBeCloseTo(y, 12);
    expect(f(6) - f(5)).toBeCloseTo(f(5) - f(4), 10);
    expect(f(-2) - f(-1)).toBeCloseTo(f(-1) - f(0), 10);
  });

  it('has no bends in its slope, and natural ends', () => {
    const f = naturalSpline(points);
    const slope = (x: number, h = 1e-5) => (f(x + h) - f(x - h)) / (2 * h);
    for (const x of [0, 1, 2, 4]) expect(slope(x + 2e-5)).toBeCloseTo(slope(x - 2e-5), 3);
    const bend = (x: number, h = 1e-3) => (f(x + h) - 2 * f(x) + f(x - h)) / (h * h);
    expect(Math.abs(bend(0.002))).toBeLessThan(0.05);
  });

  it('of fibers rises between points that rise, and is flat between equal ones', () => {
    const stress: Point[] = [
      [0.8, -10],
      [1, 0],
      [1.1, 0],
      [1.2, 1000],
      [2, 1100],
    ];
    const f = monotoneSpline(stress);
    for (const [x, y] of stress) expect(f(x)).toBeCloseTo(y, 9);
    for (let x = 0.7; x < 2.1; x += 0.01) expect(f(x + 0.01) - f(x)).toBeGreaterThan(-1e-9);
    expect(f(1.05)).toBe(0);
    // The slope at 1.2 is that of the parabola, 8903, but at most twice the chord of 125 after it.
    expect((f(1.2 + 1e-6) - f(1.2 - 1e-6)) / 2e-6).toBeCloseTo(250, 0);
    expect(f(3) - f(2.5)).toBeCloseTo(f(2.5) - f(2), 9);
  });

  it('of two points is a line', () => {
    const f = monotoneSpline([
      [1, 0],
      [2, 3],
    ]);
    expect([f(0), f(1.5), f(3)]).toEqual([-3, 1.5, 6]);
  });

  it('keeps its points in order while one is dragged', () => {
    expect(movePoint(points, 1, [9, 5], 0.1)[1]).toEqual([1.9, 5]);
    expect(movePoint(points, 1, [-9, 5], 0.1)[1]).toEqual([0.1, 5]);
    expect(movePoint(points, 3, [9, 5], 0.1)[3]).toEqual([9, 5]);
  });

  it('that is no list of pairs is none', () => {
    expect(readPoints([[1, 2, 3]])).toBeNull();
    expect(readPoints('A')).toBeNull();
    expect(readPoints(undefined)).toEqual([]);
  });
});

describe('a link', () => {
  const page = new URL('https://example.org/demo/?engine=wasm&token=secret#old');

  it('carries scene and changes, and no token', () => {
    const set = { '/solver/method': 'newton', '/bodies/0/material/a': [[0.5, -1e4]] };
    const written = writeLink(page, { scene: 'twisting_bar', set });
    expect(written).not.toContain('secret');
    expect(readLink(new URL(written).hash)).toEqual({ scene: 'twisting_bar', set });
  });

  it('that somebody mistyped is none', () => {
    for (const hash of [
      '',
      '#',
      '#set={}',
      '#scene=a&set=[1]',
      '#scene=a&set={',
      '#scene=a&set={"x":1}',
    ]) {
      expect(readLink(hash), hash).toBeNull();
    }
  });
});

describe('names', () => {
  it('of fields are readable', () => {
    expect(labelOf('/solver/initial_hessian', '/solver')).toBe('Initial Hessian');
    expect(labelOf('/solver/line_search/shrink', '/solver')).toBe('Line search: shrink');
    expect(labelOf('/bodies/0/material/young', '/bodies/0/material')).toBe('Young’s modulus');
  });

  it('of files lose their folders', () => {
    expect(plainName('../../a/b.obj')).toBe('b.obj');
    expect(plainName('c:\\x\\y.ply')).toBe('y.ply');
  });

  it('of exported files come from the header, their bytes from the arrays', () => {
    const arrays = new Map([
      ['file_0', new Uint8Array([1])],
      ['file_1', new Uint8Array([2, 3])],
    ]);
    const files = filesOf({ header: { files: [{ name: 'a.obj' }, { name: 'b.mtl' }] }, arrays });
    expect(files.map((f) => [f.name, f.bytes.length])).toEqual([
      ['a.obj', 1],
      ['b.mtl', 2],
    ]);
  });

  it('values are found by their pointers, escapes and all', () => {
    expect(valueAt({ 'a/b': [{ '~': 4 }] }, '/a~1b/0/~0')).toBe(4);
    expect(valueAt({}, '/a/b')).toBeUndefined();
  });
});

describe('the legend of forces', () => {
  const forces = {
    note: '',
    contacts: 0,
    scale: 0,
    bodies: [] as [number, number, number][] | null,
    colliders: [],
    pins: [],
    points: new Float32Array(0),
    vectors: new Float32Array(0),
    touching: new Uint32Array(0),
  };

  it('says what is not drawn, and why', () => {
    expect(noteOf(forces)).toBe('Nothing touches.');
    expect(noteOf({ ...forces, bodies: null, note: 'no step yet' })).toBe('No step yet.');
    const touching = new Uint32Array(2000);
    expect(noteOf({ ...forces, contacts: 1234, touching })).toBe(
      'The 1000 largest of 1234 are drawn.',
    );
    expect(noteOf({ ...forces, contacts: 1000, touching })).toBe('');
  });
});

describe('the rest', () => {
  it('ticks are round and inside', () => {
    expect(ticks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks(-0.03, 0.12, 3)).toEqual([0, 0.05, 0.1]);
    expect(ticks(1, 1, 3)).toEqual([1]);
  });

  it('waits longer from attempt to attempt, but never for long', () => {
    expect(backoff(0)).toBeLessThan(backoff(1));
    expect(backoff(50)).toBe(8000);
  });

  it('the session is found beside the page, with its token', () => {
    expect(sessionAddress(new URL('http://127.0.0.1:8420/?token=abc#x'))).toBe(
      'ws://127.0.0.1:8420/session?token=abc',
    );
    expect(sessionAddress(new URL('https://example.org/a/b/'))).toBe(
      'wss://example.org/a/b/session',
    );
  });
});
