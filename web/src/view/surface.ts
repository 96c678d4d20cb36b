/**
 * The surface of all bodies: buffers that are written in place in every frame.
 *
 * Frames carry either the surface's vertices alone or all; the buffers always hold the surface's, in
 * the order of `topology.surface`. `localOf` leads from a vertex of the model to its place there.
 */
import * as THREE from 'three';
import type { Frame } from '../protocol/frame';
import type { Topology } from '../protocol/topology';
import { computeNormals } from './normals';

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
    geometry.setAttribute('color', new THREE.BufferAttribute(this.coloursOfBodies(bodyColours), 3));
    this.mesh = new THREE.Mesh(geometry, material);
    // The box of a body that moves would have to be computed anew in every frame.
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;

    const strands = new THREE.BufferGeometry();
    strands.setAttribute('position', this.position);
    strands.setIndex(new THREE.BufferAttribute(this.segments, 1));
    this.lines = new THREE.LineSegments(
      strands,
      new THREE.LineBasicMaterial({ color: bodyColours[0] ?? 0xffffff }),
    );
    this.lines.frustumCulled = false;
    // Springs of a cloth lie in its triangles; those of a strand are all that there is to see.
    this.lines.visible = this.triangles.length === 0 && this.segments.length > 0;
    this.group.add(this.mesh, this.lines);
    this.fillFromRest();
  }

  /** Indices of the model as indices of the buffers; what is not of the surface is left out. */
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

  private coloursOfBodies(palette: number[]): Float32Array {
    const { bodies, surface } = this.topology;
    const colours = new Float32Array(3 * surface.length).fill(1);
    const colour = new THREE.Color();
    bodies.forEach((body, b) => {
      colour.setHex(palette[b % palette.length]!);
      for (let v = body.firstVertex; v < body.firstVertex + body.numVertices; v++) {
        const i = this.localOf[v] ?? -1;
        if (i >= 0) colour.toArray(colours, 3 * i);
      }
    });
    return colours;
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

  /** Positions of another motion of the same body (a lane of the race). */
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
    const scale = high > low ? 1 / (high - low) : 0;
    for (let i = 0; i < surface.length; i++) {
      const value = colours[all ? surface[i]! : i]!;
      // Half a texel from the ends: the texture would blend with its other end.
      this.values[2 * i] = Math.min(0.998, Math.max(0.002, (value - low) * scale));
    }
    this.uv.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.lines.geometry.dispose();
    this.lines.material.dispose();
    this.group.removeFromParent();
  }
}
