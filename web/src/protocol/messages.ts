/**
 * What the engine says, as types, and the checks that make a value of a type out of what arrived. A
 * message that does not have what its kind must have is refused by throwing MessageError; what may be
 * missing gets its neutral value, so that a newer or older engine does not break the page.
 */
import { isObject, type Json, type JsonObject, type NumberArray, type Packet } from './packet';

export class MessageError extends Error {}

export type Vec3 = [number, number, number];

export interface Named {
  name: string;
  text: string;
}
export interface GalleryScene {
  name: string;
  title: string;
  picture: string;
}
export interface ColourChoice extends Named {
  unit: string;
}
export interface Hello {
  version: string;
  engine: string;
  threads: number;
  simd: string;
  materials: Named[];
  solvers: Named[];
  integrators: Named[];
  exports: Named[];
  scenes: GalleryScene[];
  colours: ColourChoice[];
  maxMessageBytes: number;
}

export type FieldType =
  | 'number'
  | 'integer'
  | 'boolean'
  | 'text'
  | 'choice'
  | 'vector'
  | 'pair'
  | 'box'
  | 'integers'
  | 'pairs';
export interface Field {
  pointer: string;
  type: FieldType;
  low: number | null;
  high: number | null;
  lowIncluded: boolean;
  highIncluded: boolean;
  unit: string;
  choices: string[];
  what: string;
  default: Json;
}
export interface SceneMessage {
  source: string;
  title: string;
  settings: JsonObject;
  fields: Field[];
  changed: JsonObject;
  undo: boolean;
  redo: boolean;
}
export interface Status {
  playing: boolean;
  speed: number;
  busy: string | null;
  recording: number | null;
  race: boolean;
}
export interface Note {
  level: string;
  text: string;
}
export interface EngineError {
  kind: string;
  where: string;
  message: string;
}
export interface Reply {
  re: number;
  ok: boolean;
  error: EngineError | null;
  header: JsonObject;
  arrays: Map<string, NumberArray>;
}
export interface BodyInfo {
  name: string;
  firstVertex: number;
  numVertices: number;
  numTets: number;
  pins: number;
}
export interface Topology {
  id: number;
  numVertices: number;
  bodies: BodyInfo[];
  triangles: Uint32Array;
  tets: Uint32Array;
  segments: Uint32Array;
  /** The vertices that frames of the surface carry, ascending. */
  surface: Uint32Array;
  rest: Float32Array;
  /** Surfaces of colliders that come from files, by the collider's index. */
  colliderMeshes: Map<number, { vertices: Float32Array; triangles: Uint32Array }>;
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
  ms: { total: number; local: number; solve: number; contact: number };
}
export interface Energies {
  kinetic: number;
  elastic: number;
  pins: number;
  gravity: number;
}
export interface Grab {
  id: number;
  client: number;
  at: Vec3;
  to: Vec3;
}
/** How something was moved by hand as a whole: turned about its centre, then moved. */
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
  positions: Float32Array;
  colours: Float32Array | null;
}

const text = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise;
const number = (value: unknown, otherwise = 0): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
const object = (value: unknown): JsonObject => (isObject(value) ? value : {});
const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
const bound = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export function vec3(value: unknown, otherwise: Vec3 = [0, 0, 0]): Vec3 {
  if (!Array.isArray(value) || value.length !== 3) return [...otherwise];
  return [number(value[0]), number(value[1]), number(value[2])];
}

export const readPlacement = (value: JsonObject): Placement => ({
  translate: vec3(value['translate']),
  axis: vec3(value['axis'], [0, 1, 0]),
  degrees: number(value['degrees']),
});

const named = (value: unknown): Named[] =>
  Array.isArray(value)
    ? value
        .map((v) =>
          typeof v === 'string'
            ? { name: v, text: '' }
            : { name: text(object(v)['name']), text: text(object(v)['text']) },
        )
        .filter((v) => v.name !== '')
    : [];

export function readHello(m: JsonObject): Hello {
  if (m['protocol'] !== 1) {
    throw new MessageError(`the engine speaks protocol ${String(m['protocol'])}, this page 1`);
  }
  const lists = object(m['lists']);
  return {
    version: text(m['version']),
    engine: text(m['engine'], 'native'),
    threads: number(m['threads'], 1),
    simd: text(m['simd']),
    materials: named(lists['materials']),
    solvers: named(lists['solvers']),
    integrators: named(lists['integrators']),
    exports: named(lists['exports']),
    scenes: objects(lists['scenes']).map((s) => ({
      name: text(s['name']),
      title: text(s['title'], text(s['name'])),
      picture: text(s['picture']),
    })),
    colours: objects(lists['colours']).map((c) => ({
      name: text(c['name']),
      unit: text(c['unit']),
      text: text(c['text']),
    })),
    maxMessageBytes: number(object(m['limits'])['max_message_bytes'], 64 << 20),
  };
}

function readField(f: JsonObject): Field {
  return {
    pointer: text(f['pointer']),
    type: text(f['type'], 'text') as FieldType,
    low: bound(f['low']),
    high: bound(f['high']),
    lowIncluded: f['low_included'] !== false,
    highIncluded: f['high_included'] !== false,
    unit: text(f['unit']),
    choices: texts(f['choices']),
    what: text(f['what']),
    default: f['default'] ?? null,
  };
}

export function readScene(m: JsonObject): SceneMessage {
  if (!isObject(m['settings'])) throw new MessageError('a scene without settings');
  return {
    source: text(m['source']),
    title: text(m['title']),
    settings: m['settings'],
    fields: objects(m['fields'])
      .map(readField)
      .filter((f) => f.pointer.startsWith('/')),
    changed: object(m['changed']),
    undo: m['undo'] === true,
    redo: m['redo'] === true,
  };
}

export function readStatus(m: JsonObject): Status {
  return {
    playing: m['playing'] === true,
    speed: number(m['speed'], 1),
    busy: typeof m['busy'] === 'string' ? m['busy'] : null,
    recording: typeof m['recording'] === 'number' ? m['recording'] : null,
    race: m['race'] === true,
  };
}

export const readNote = (m: JsonObject): Note => ({
  level: text(m['level'], 'info'),
  text: text(m['text']),
});

export function readReply(header: JsonObject, arrays: Map<string, NumberArray>): Reply {
  const error = header['error'];
  return {
    re: number(header['re'], -1),
    ok: header['ok'] === true,
    error: isObject(error)
      ? { kind: text(error['kind']), where: text(error['where']), message: text(error['message']) }
      : null,
    header,
    arrays,
  };
}

function uint32(p: Packet, name: string): Uint32Array {
  const array = p.arrays.get(name);
  if (array === undefined) return new Uint32Array(0);
  if (!(array instanceof Uint32Array)) throw new MessageError(`${name} is not of type uint32`);
  return array;
}

function below(array: Uint32Array, count: number, name: string): Uint32Array {
  for (let i = 0; i < array.length; i++) {
    if (array[i]! >= count) throw new MessageError(`${name} names a vertex that does not exist`);
  }
  return array;
}

export function readTopology(p: Packet): Topology {
  const numVertices = number(p.header['num_vertices'], -1);
  const rest = p.arrays.get('rest');
  if (!(rest instanceof Float32Array) || rest.length !== 3 * numVertices) {
    throw new MessageError('the rest shape does not have three numbers a vertex');
  }
  const surface = below(uint32(p, 'surface'), numVertices, 'surface');
  for (let i = 1; i < surface.length; i++) {
    if (surface[i]! <= surface[i - 1]!) throw new MessageError('surface does not ascend');
  }
  return {
    id: number(p.header['id'], -1),
    numVertices,
    bodies: objects(p.header['bodies']).map((b) => ({
      name: text(b['name']),
      firstVertex: number(b['first_vertex']),
      numVertices: number(b['num_vertices']),
      numTets: number(b['num_tets']),
      pins: number(b['pins']),
    })),
    triangles: below(uint32(p, 'triangles'), numVertices, 'triangles'),
    tets: below(uint32(p, 'tets'), numVertices, 'tets'),
    segments: below(uint32(p, 'segments'), numVertices, 'segments'),
    surface,
    rest,
    colliderMeshes: readColliderMeshes(p),
  };
}

function readColliderMeshes(p: Packet): Topology['colliderMeshes'] {
  const meshes: Topology['colliderMeshes'] = new Map();
  for (const [name, vertices] of p.arrays) {
    const index = /^collider_(\d+)_vertices$/.exec(name)?.[1];
    if (index === undefined || !(vertices instanceof Float32Array)) continue;
    const triangles = uint32(p, `collider_${index}_triangles`);
    below(triangles, vertices.length / 3, 'triangles of a collider');
    meshes.set(Number(index), { vertices, triangles });
  }
  return meshes;
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

/** The frame, checked against the topology that it belongs to. Null: it belongs to another one. */
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
    positions,
    colours: float32(p, 'colours', n),
  };
}
