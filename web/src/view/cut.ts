/**
 * Tets cut open: of all tets those on the inner side of a plane are drawn, by their outer faces. A
 * face is outer where the tet on its other side is not drawn; which tet that is, is found once.
 */
import * as THREE from 'three';
import type { Frame } from '../protocol/frame';
import type { Topology } from '../protocol/topology';

/** The corners of the faces of a tet, each counter-clockwise seen from outside. */
const FACES = [
  [0, 2, 1],
  [0, 1, 3],
  [1, 2, 3],
  [0, 3, 2],
] as const;

/** For face f of tet t, at 4 t + f: the tet on its other side, or -1. */
export function faceNeighbours(tets: Uint32Array): Int32Array {
  const count = tets.length / 4;
  const neighbours = new Int32Array(4 * count).fill(-1);
  // Faces of the same lowest vertex are chained; few share one, so that each chain is short.
  let top = 0;
  for (const v of tets) if (v > top) top = v;
  const head = new Int32Array(top + 1).fill(-1);
  const next = new Int32Array(4 * count);
  const middle = new Uint32Array(4 * count);
  const high = new Uint32Array(4 * count);
  for (let t = 0; t < count; t++) {
    for (let f = 0; f < 4; f++) {
      const a = tets[4 * t + FACES[f]![0]]!;
      const b = tets[4 * t + FACES[f]![1]]!;
      const c = tets[4 * t + FACES[f]![2]]!;
      const low = Math.min(a, b, c);
      const at = 4 * t + f;
      high[at] = Math.max(a, b, c);
      middle[at] = a + b + c - low - high[at]!;
      let before = -1;
      let other = head[low]!;
      while (other >= 0 && (middle[other] !== middle[at] || high[other] !== high[at])) {
        before = other;
        other = next[other]!;
      }
      if (other >= 0) {
        neighbours[at] = other >> 2;
        neighbours[other] = t;
        if (before < 0) head[low] = next[other]!;
        else next[before] = next[other]!;
      } else {
        next[at] = head[low]!;
        head[low] = at;
      }
    }
  }
  return neighbours;
}

export type CutAxis = 'x' | 'y' | 'z';

export class Cut {
  readonly group = new THREE.Group();
  enabled = false;
  axis: CutAxis = 'x';
  /** Where the plane stands: 0 and 1 are the ends of the box of the rest shape. */
  place = 0.5;
  flipped = false;
  /** Chosen by rest positions: the same tets stay drawn while the body moves. */
  byRest = true;
  private topology: Topology | null = null;
  private neighbours: Int32Array | null = null;
  private inside = new Uint8Array(0);
  private triangles = new Uint32Array(0);
  private values = new Float32Array(0);
  private mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> | null = null;
  /** Flat, so that each tet is seen; it needs no normals. */
  readonly material = new THREE.MeshStandardMaterial({
    roughness: 0.8,
    flatShading: true,
    side: THREE.DoubleSide,
    color: 0xd8dee6,
  });
  private readonly box = new THREE.Box3();
  private readonly plane: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>;
  private readonly rim: THREE.LineLoop;

  constructor() {
    this.plane = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.MeshBasicMaterial({
        color: 0x8fb8de,
        transparent: true,
        opacity: 0.12,
        side: THREE.DoubleSide,
        depthWrite: false,
      }),
    );
    const corners = [-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0];
    this.rim = new THREE.LineLoop(
      new THREE.BufferGeometry().setAttribute(
        'position',
        new THREE.Float32BufferAttribute(corners, 3),
      ),
      new THREE.LineBasicMaterial({ color: 0x6ea8dc }),
    );
    this.plane.add(this.rim);
    this.group.add(this.plane);
  }

  setTopology(topology: Topology): void {
    this.topology = topology;
    this.neighbours = null;
    this.mesh?.geometry.dispose();
    this.mesh?.removeFromParent();
    this.mesh = null;
    this.box.setFromArray(topology.rest);
  }

  get available(): boolean {
    return (this.topology?.tets.length ?? 0) > 0;
  }

  private prepare(topology: Topology): void {
    this.neighbours = faceNeighbours(topology.tets);
    const tets = topology.tets.length / 4;
    this.inside = new Uint8Array(tets);
    this.triangles = new Uint32Array(12 * tets);
    this.values = new Float32Array(2 * topology.numVertices).fill(0.5);
    const dynamic = (array: Float32Array, size: number) =>
      new THREE.BufferAttribute(array, size).setUsage(THREE.DynamicDrawUsage);
    const geometry = new THREE.BufferGeometry();
    geometry.setIndex(
      new THREE.BufferAttribute(this.triangles, 1).setUsage(THREE.DynamicDrawUsage),
    );
    geometry.setAttribute('position', dynamic(new Float32Array(3 * topology.numVertices), 3));
    geometry.setAttribute('uv', dynamic(this.values, 2));
    this.mesh = new THREE.Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }

  /** Tets whose centre is on the inner side. Writes `inside` and the faces between in and out. */
  private select(positions: Float32Array, tets: Uint32Array): number {
    const k = this.axis === 'x' ? 0 : this.axis === 'y' ? 1 : 2;
    const low = this.box.min.getComponent(k);
    const at = 4 * (low + this.place * (this.box.max.getComponent(k) - low));
    const count = tets.length / 4;
    for (let t = 0; t < count; t++) {
      let sum = 0;
      for (let c = 0; c < 4; c++) sum += positions[3 * tets[4 * t + c]! + k]!;
      this.inside[t] = sum < at === this.flipped ? 0 : 1;
    }
    let size = 0;
    for (let t = 0; t < count; t++) {
      if (this.inside[t] === 0) continue;
      for (let f = 0; f < 4; f++) {
        const other = this.neighbours![4 * t + f]!;
        if (other >= 0 && this.inside[other] === 1) continue;
        for (const corner of FACES[f]!) this.triangles[size++] = tets[4 * t + corner]!;
      }
    }
    return size;
  }

  update(frame: Frame): void {
    if (!this.enabled || !frame.all || this.topology === null || !this.available) return;
    if (this.neighbours === null) this.prepare(this.topology);
    const geometry = this.mesh!.geometry;
    const position = geometry.getAttribute('position') as THREE.BufferAttribute;
    (position.array as Float32Array).set(frame.positions);
    position.needsUpdate = true;
    const size = this.select(
      this.byRest ? this.topology.rest : frame.positions,
      this.topology.tets,
    );
    geometry.setDrawRange(0, size);
    geometry.getIndex()!.needsUpdate = true;
    if (frame.colours !== null && frame.colour !== null) {
      const { low, high } = frame.colour;
      const scale = high > low ? 1 / (high - low) : 0;
      for (let i = 0; i < frame.colours.length; i++) {
        this.values[2 * i] = Math.min(0.998, Math.max(0.002, (frame.colours[i]! - low) * scale));
      }
      geometry.getAttribute('uv').needsUpdate = true;
    }
    this.placePlane();
  }

  setColoured(map: THREE.Texture | null): void {
    this.material.map = map;
    this.material.color.setHex(map === null ? 0xd8dee6 : 0xffffff);
    this.material.needsUpdate = true;
  }

  private placePlane(): void {
    const k = this.axis === 'x' ? 0 : this.axis === 'y' ? 1 : 2;
    const size = this.box.getSize(new THREE.Vector3());
    const center = this.box.getCenter(new THREE.Vector3());
    center.setComponent(k, this.box.min.getComponent(k) + this.place * size.getComponent(k));
    this.plane.position.copy(center);
    this.plane.rotation.set(k === 1 ? Math.PI / 2 : 0, k === 0 ? Math.PI / 2 : 0, 0);
    const margin = 0.2 * size.length();
    const [u, v] = k === 0 ? [size.z, size.y] : k === 1 ? [size.x, size.z] : [size.x, size.y];
    this.plane.scale.set(u + margin, v + margin, 1);
    this.plane.visible = !this.byRest;
  }
}
