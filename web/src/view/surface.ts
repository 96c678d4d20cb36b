/**
 * The surface of all bodies, in buffers that are written in place in every frame. Frames carry
 * either only the surface's vertices or all of them; the buffers always hold the surface's, in the
 * order of `topology.surface`. `localOf` maps a vertex of the model to its place there.
 */
import * as THREE from 'three';
import type { Frame } from '../protocol/frame';
import type { Topology } from '../protocol/topology';
import { computeNormals } from './normals';

/** The colour of each vertex's body, linear RGB. */
export function coloursOfBodies(topology: Topology, palette: number[]): Float32Array {
  const colours = new Float32Array(3 * topology.numVertices).fill(1);
  const colour = new THREE.Color();
  topology.bodies.forEach((body, b) => {
    colour.setHex(palette[b % palette.length]!);
    for (let v = body.firstVertex; v < body.firstVertex + body.numVertices; v++) {
      colour.toArray(colours, 3 * v);
    }
  });
  return colours;
}

/**
 * A value's place on the scale, half a texel from the ends, where the texture would wrap around.
 */
export function colourPlace(value: number, low: number, high: number): number {
  return Math.min(0.998, Math.max(0.002, high > low ? (value - low) / (high - low) : 0));
}

export class Surface {
  readonly group = new THREE.Group();
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
  readonly segments: Uint32Array;
  readonly localOf: Int32Array;
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  readonly lines: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly normals: Float32Array;
  private readonly values: Float32Array;
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly uv: THREE.BufferAttribute;

  constructor(
    readonly topology: Topology,
    material: THREE.MeshStandardMaterial,
    bodyColours: number[],
  ) {
    const n = topology.surface.length;
    this.localOf = new Int32Array(topology.numVertices).fill(-1);
    for (let i = 0; i < n; i++) this.localOf[topology.surface[i]!] = i;
    this.triangles = this.toLocal(topology.triangles, 3);
    this.segments = this.toLocal(topology.segments, 2);
    this.positions = new Float32Array(3 * n);
    this.normals = new Float32Array(3 * n);
    this.values = new Float32Array(2 * n).fill(0.5);
    this.position = new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.DynamicDrawUsage);
    this.normal = new THREE.BufferAttribute(this.normals, 3).setUsage(THREE.DynamicDrawUsage);
    this.uv = new THREE.BufferAttribute(this.values, 2).setUsage(THREE.DynamicDrawUsage);

    const geometry = new THREE.BufferGeometry();
    geometry.setIndex(new THREE.BufferAttribute(this.triangles, 1));
    geometry.setAttribute('position', this.position);
    geometry.setAttribute('normal', this.normal);
    geometry.setAttribute('uv', this.uv);
    const colours = new Float32Array(3 * n);
    this.gather(coloursOfBodies(topology, bodyColours), 3, colours);
    const colour = new THREE.BufferAttribute(colours, 3);
    geometry.setAttribute('color', colour);
    this.mesh = new THREE.Mesh(geometry, material);
    // The bounding box of a moving body would have to be recomputed in every frame.
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;

    const strands = new THREE.BufferGeometry();
    strands.setAttribute('position', this.position);
    strands.setAttribute('uv', this.uv);
    strands.setAttribute('color', colour);
    strands.setIndex(new THREE.BufferAttribute(this.segments, 1));
    this.lines = new THREE.LineSegments(
      strands,
      new THREE.LineBasicMaterial({ vertexColors: true }),
    );
    this.lines.frustumCulled = false;
    // Only strands have these lines: the springs of a cloth lie in its triangles.
    this.lines.visible = this.segments.length > 0;
    this.group.add(this.mesh, this.lines);
    this.fillFromRest();
  }

  /**
   * Converts indices of the model to indices of the buffers; elements off the surface are omitted.
   */
  private toLocal(indices: Uint32Array, corners: number): Uint32Array {
    const local = new Uint32Array(indices.length);
    let size = 0;
    for (let i = 0; i + corners <= indices.length; i += corners) {
      let whole = true;
      for (let k = 0; k < corners; k++) whole &&= this.localOf[indices[i + k]!]! >= 0;
      if (!whole) continue;
      for (let k = 0; k < corners; k++) local[size++] = this.localOf[indices[i + k]!]!;
    }
    return local.slice(0, size);
  }

  private gather(all: Float32Array, width: number, to: Float32Array): void {
    const surface = this.topology.surface;
    for (let i = 0; i < surface.length; i++) {
      for (let k = 0; k < width; k++) to[width * i + k] = all[width * surface[i]! + k]!;
    }
  }

  private fillFromRest(): void {
    this.gather(this.topology.rest, 3, this.positions);
    this.refresh();
  }

  private refresh(): void {
    computeNormals(this.positions, this.triangles, this.normals);
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
  }

  /** Sets positions of another motion of the same body (a lane of the race). */
  updatePositions(positions: Float32Array, all: boolean): void {
    if (all) this.gather(positions, 3, this.positions);
    else this.positions.set(positions);
    this.refresh();
  }

  update(frame: Frame): void {
    this.updatePositions(frame.positions, frame.all);
    if (frame.colours !== null && frame.colour !== null) {
      this.updateColours(frame.colours, frame.all, frame.colour.low, frame.colour.high);
    }
  }

  private updateColours(colours: Float32Array, all: boolean, low: number, high: number): void {
    const surface = this.topology.surface;
    for (let i = 0; i < surface.length; i++) {
      this.values[2 * i] = colourPlace(colours[all ? surface[i]! : i]!, low, high);
    }
    this.uv.needsUpdate = true;
  }

  /** The lines of strands are coloured in the same way as the triangles. */
  followMaterial(): void {
    const { map, vertexColors } = this.mesh.material;
    Object.assign(this.lines.material, { map, vertexColors, needsUpdate: true });
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.lines.geometry.dispose();
    this.lines.material.dispose();
    this.group.removeFromParent();
  }
}
