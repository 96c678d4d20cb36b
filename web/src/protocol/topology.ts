/** What is simulated: bodies, and their triangles, tets and lines to draw. */
import type { Packet } from './packet';
import { below, MessageError, number, objects, text, uint32 } from './values';

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
  /** The vertices for which frames of the surface have positions, ascending. */
  surface: Uint32Array;
  rest: Float32Array;
  /** Surfaces of colliders from files, by the collider's index. */
  colliderMeshes: Map<number, { vertices: Float32Array; triangles: Uint32Array }>;
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
