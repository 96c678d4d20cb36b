/** A frame: where everything is, and the report of the step that led there. */
import { isObject, type JsonObject, type Packet } from './packet';
import type { Topology } from './topology';
import { MessageError, number, object, objects, text, uint32, vec3, type Vec3 } from './values';

/** A reason not to trust what is shown. */
export interface Warning {
  code: string;
  text: string;
  frames: [first: number, last: number];
}
export interface StepReport {
  status: string;
  iterations: number;
  evaluations: number;
  objective: number;
  gradientNorm: number;
  startGradientNorm: number;
  invertedTets: number;
  contacts: number;
  /** Estimated factor by which the body acted too soft; 1: converged. */
  unconverged: number;
  /** Collected since the scene was built, changed or reset. */
  warnings: Warning[];
  ms: { total: number; local: number; solve: number; contact: number };
}
export interface Energies {
  kinetic: number;
  elastic: number;
  pins: number;
  gravity: number;
  pressure: number;
}
export interface Grab {
  id: number;
  client: number;
  at: Vec3;
  to: Vec3;
}
/** How something was moved by hand as a whole: rotated about its centre, then moved. */
export interface Placement {
  translate: Vec3;
  axis: Vec3;
  degrees: number;
}
export interface Pin {
  placement: Placement;
  body: number;
  pin: number;
  count: number;
  center: Vec3;
  vertices: number[] | null;
}
/** The forces of contacts and pins in the last step, N. */
export interface Forces {
  /** Why the forces are not known, or how far to trust them; otherwise empty. */
  note: string;
  /** How many contacts bear a force; the arrays have the largest. */
  contacts: number;
  /**
   * The force of an arrow of the usual length: near the largest recent one; 0 before the first
   * force.
   */
  scale: number;
  /** Sums for each body and each collider; null: not known. */
  bodies: Vec3[] | null;
  colliders: Vec3[] | null;
  pins: { body: number; pin: number; force: Vec3 }[] | null;
  points: Float32Array;
  /** Force on the body at each point. */
  vectors: Float32Array;
  /**
   * Two per point: the body, and what touches it: a body or, from the number of bodies on, a
   * collider.
   */
  touching: Uint32Array;
}
export interface Lane {
  label: string;
  ms: number;
  iterations: number;
  status: string;
  error: number;
  residual: number;
  positions: Float32Array | null;
}
export interface FrameColour {
  name: string;
  unit: string;
  low: number;
  high: number;
}
export interface Frame {
  topology: number;
  frame: number;
  time: number;
  all: boolean;
  report: StepReport | null;
  energies: Energies;
  rate: number;
  speedAchieved: number;
  colour: FrameColour | null;
  grabs: Grab[];
  pins: Pin[];
  colliders: JsonObject[];
  lanes: Lane[];
  /** Null: no page asks for them. */
  forces: Forces | null;
  positions: Float32Array;
  colours: Float32Array | null;
}

export const readPlacement = (value: JsonObject): Placement => ({
  translate: vec3(value['translate']),
  axis: vec3(value['axis'], [0, 1, 0]),
  degrees: number(value['degrees']),
});

function readWarning(value: JsonObject): Warning {
  const frames = Array.isArray(value['frames']) ? value['frames'] : [];
  return {
    code: text(value['code']),
    text: text(value['text']),
    frames: [number(frames[0]), number(frames[1])],
  };
}

function readReport(value: unknown): StepReport | null {
  if (!isObject(value)) return null;
  const ms = object(value['ms']);
  return {
    status: text(value['status']),
    iterations: number(value['iterations']),
    evaluations: number(value['evaluations']),
    objective: number(value['objective'], NaN),
    gradientNorm: number(value['gradient_norm'], NaN),
    startGradientNorm: number(value['start_gradient_norm'], NaN),
    invertedTets: number(value['inverted_tets']),
    contacts: number(value['contacts']),
    unconverged: number(value['unconverged'], 1),
    warnings: objects(value['warnings']).map(readWarning),
    ms: {
      total: number(ms['total']),
      local: number(ms['local']),
      solve: number(ms['solve']),
      contact: number(ms['contact']),
    },
  };
}

const float32 = (p: Packet, name: string, count: number): Float32Array | null => {
  const array = p.arrays.get(name);
  if (array === undefined) return null;
  if (!(array instanceof Float32Array) || array.length !== count) {
    throw new MessageError(`${name} of a frame does not have ${count} numbers of type float32`);
  }
  return array;
};

const vectors = (value: unknown): Vec3[] | null =>
  Array.isArray(value) ? value.map((v) => vec3(v)) : null;

function readForces(p: Packet): Forces | null {
  const of = p.header['forces'];
  if (!isObject(of)) return null;
  const touching = uint32(p, 'force_touching');
  const count = (3 * touching.length) / 2;
  const points = float32(p, 'force_points', count);
  const forces = float32(p, 'force_vectors', count);
  if (points === null || forces === null) throw new MessageError('forces without their places');
  return {
    note: text(of['note']),
    contacts: number(of['contacts']),
    scale: number(of['scale']),
    bodies: vectors(of['bodies']),
    colliders: vectors(of['colliders']),
    pins: Array.isArray(of['pins'])
      ? objects(of['pins']).map((q) => ({
          body: number(q['body']),
          pin: number(q['pin']),
          force: vec3(q['force']),
        }))
      : null,
    points,
    vectors: forces,
    touching,
  };
}

/** The frame, checked against its topology. Null: it belongs to another one. */
export function readFrame(p: Packet, topology: Topology | null): Frame | null {
  const h = p.header;
  if (topology === null || h['topology'] !== topology.id) return null;
  const all = h['vertices'] === 'all';
  const n = all ? topology.numVertices : topology.surface.length;
  const positions = float32(p, 'positions', 3 * n);
  if (positions === null) throw new MessageError('a frame without positions');
  const energies = object(h['energies']);
  const colour = isObject(h['colour']) ? h['colour'] : null;
  return {
    topology: topology.id,
    frame: number(h['frame']),
    time: number(h['time']),
    all,
    report: readReport(h['report']),
    energies: {
      kinetic: number(energies['kinetic']),
      elastic: number(energies['elastic']),
      pins: number(energies['pins']),
      gravity: number(energies['gravity']),
      pressure: number(energies['pressure']),
    },
    rate: number(h['rate']),
    speedAchieved: number(h['speed_achieved']),
    colour: colour && {
      name: text(colour['name']),
      unit: text(colour['unit']),
      low: number(colour['low']),
      high: number(colour['high'], 1),
    },
    grabs: objects(h['grabs']).map((g) => ({
      id: number(g['id']),
      client: number(g['client']),
      at: vec3(g['at']),
      to: vec3(g['to']),
    })),
    pins: objects(h['pins']).map((q) => ({
      placement: readPlacement(q),
      body: number(q['body']),
      pin: number(q['pin']),
      count: number(q['count']),
      center: vec3(q['center']),
      vertices: Array.isArray(q['vertices'])
        ? q['vertices'].filter(
            (v): v is number =>
              typeof v === 'number' && Number.isInteger(v) && v >= 0 && v < topology.numVertices,
          )
        : null,
    })),
    colliders: objects(h['colliders']),
    lanes: objects(h['lanes']).map((l, i) => ({
      label: text(l['label'], `lane ${i + 1}`),
      ms: number(l['ms']),
      iterations: number(l['iterations']),
      status: text(l['status']),
      error: number(l['error'], NaN),
      residual: number(l['residual'], NaN),
      positions: float32(p, `lane_${i}`, 3 * n),
    })),
    forces: readForces(p),
    positions,
    colours: float32(p, 'colours', n),
  };
}
