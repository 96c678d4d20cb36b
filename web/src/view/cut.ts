/**
 * Tets cut open: only the tets on the inner side of a plane are drawn, by their outer faces. A face
 * is outer if the tet on its other side is not drawn; the neighbours are found once. Faces of the
 * body's surface look as they do without a cut. Faces that the cut opens are flat-shaded, so that
 * each tet is visible. Both have the same colours.
 */
import * as THREE from 'three';
import type { Frame } from '../protocol/frame';
import type { Topology } from '../protocol/topology';
import { colourPlace, coloursOfBodies, type Surface } from './surface';

/** The corners of a tet's faces, each counter-clockwise as seen from outside. */
const FACES = [
  [0, 2, 1],
  [0, 1, 3],
  [1, 2, 3],
  [0, 3, 2],
] as const;

/** Neighbours of face f of tet t, at 4 t + f: the tet on its other side, or -1. */
export function faceNeighbours(tets: Uint32Array): Int32Array {
  const count = tets.length / 4;
  const neighbours = new Int32Array(4 * count).fill(-1);
  // Faces with the same lowest vertex are chained; few share one, so each chain is short.
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

/** Triangles with their edges, over buffers that are filled elsewhere. */
class Part {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  readonly wire: THREE.Mesh;
  size = 0;
  private readonly triangles: Uint32Array;

  constructor(
    geometry: THREE.BufferGeometry,
    most: number,
    material: THREE.MeshStandardMaterial,
    wireMaterial: THREE.MeshBasicMaterial,
  ) {
    this.triangles = new Uint32Array(most);
    const index = new THREE.BufferAttribute(this.triangles, 1);
    geometry.setIndex(index.setUsage(THREE.DynamicDrawUsage));
    this.mesh = new THREE.Mesh(geometry, material);
    this.wire = new THREE.Mesh(geometry, wireMaterial);
    this.wire.visible = false;
    for (const mesh of [this.mesh, this.wire]) mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.add(this.wire);
  }

  add(a: number, b: number, c: number): void {
    this.triangles[this.size++] = a;
    this.triangles[this.size++] = b;
    this.triangles[this.size++] = c;
  }

  done(): void {
    this.mesh.geometry.setDrawRange(0, this.size);
    this.mesh.geometry.getIndex()!.needsUpdate = true;
  }

  remove(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
  }
}

export type CutAxis = 'x' | 'y' | 'z';

export class Cut {
  readonly group = new THREE.Group();
  enabled = false;
  axis: CutAxis = 'x';
  /** Place of the plane: 0 and 1 are the ends of the rest shape's box. */
  place = 0.5;
  flipped = false;
  /** Select tets by rest positions: the same tets stay drawn while the body moves. */
  byRest = true;
  private topology: Topology | null = null;
  private neighbours: Int32Array | null = null;
  private surface: Surface | null = null;
  private bodyColours: number[] = [];
  private inside = new Uint8Array(0);
  /** For each vertex: 0 if all tets around it are cut away. */
  private shown = new Uint8Array(0);
  private selected = false;
  private values = new Float32Array(0);
  /** Faces that the cut opens, and faces of the surface. */
  private opened: Part | null = null;
  private outer: Part | null = null;
  /** Flat-shaded, so that each tet is visible; it needs no normals. */
  readonly material: THREE.MeshStandardMaterial;
  private readonly box = new THREE.Box3();
  private readonly plane: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>;
  private readonly rim: THREE.LineLoop;

  constructor(
    private readonly surfaceMaterial: THREE.MeshStandardMaterial,
    private readonly wireMaterial: THREE.MeshBasicMaterial,
  ) {
    this.material = surfaceMaterial.clone();
    this.material.flatShading = true;
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

  setSurface(surface: Surface, bodyColours: number[]): void {
    this.surface = surface;
    this.topology = surface.topology;
    this.bodyColours = bodyColours;
    this.neighbours = null;
    for (const part of [this.opened, this.outer]) part?.remove();
    this.opened = this.outer = null;
    this.box.setFromArray(surface.topology.rest);
  }

  /** True if the cut is drawn in place of the whole. */
  get drawn(): boolean {
    return this.enabled && this.selected && this.opened !== null;
  }

  /** True if a vertex belongs to what is left, or to no tet. */
  shows(vertex: number): boolean {
    return !this.drawn || this.shown[vertex] !== 0;
  }

  setWireframe(on: boolean): void {
    for (const part of [this.opened, this.outer]) if (part !== null) part.wire.visible = on;
  }

  get available(): boolean {
    return (this.topology?.tets.length ?? 0) > 0;
  }

  private prepare(topology: Topology, surface: Surface): void {
    this.neighbours = faceNeighbours(topology.tets);
    const tets = topology.tets.length / 4;
    this.inside = new Uint8Array(tets);
    this.selected = false;
    this.values = new Float32Array(2 * topology.numVertices).fill(0.5);
    const dynamic = (array: Float32Array, size: number) =>
      new THREE.BufferAttribute(array, size).setUsage(THREE.DynamicDrawUsage);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', dynamic(new Float32Array(3 * topology.numVertices), 3));
    geometry.setAttribute('uv', dynamic(this.values, 2));
    const colours = coloursOfBodies(topology, this.bodyColours);
    geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
    this.opened = new Part(geometry, 12 * tets, this.material, this.wireMaterial);
    // The same buffers as for the whole surface, with fewer triangles.
    const shared = new THREE.BufferGeometry();
    const { attributes } = surface.mesh.geometry;
    for (const name of ['position', 'normal', 'uv', 'color']) {
      shared.setAttribute(name, attributes[name]!);
    }
    const most = 12 * tets + surface.triangles.length;
    this.outer = new Part(shared, most, this.surfaceMaterial, this.wireMaterial);
    this.group.add(this.opened.mesh, this.outer.mesh);
  }

  /** Selects tets whose centre is on the inner side; if they changed, collects their faces. */
  private select(positions: Float32Array, topology: Topology, surface: Surface): void {
    const { tets } = topology;
    const k = this.axis === 'x' ? 0 : this.axis === 'y' ? 1 : 2;
    const low = this.box.min.getComponent(k);
    const at = 4 * (low + this.place * (this.box.max.getComponent(k) - low));
    const count = tets.length / 4;
    let changed = !this.selected;
    for (let t = 0; t < count; t++) {
      let sum = 0;
      for (let c = 0; c < 4; c++) sum += positions[3 * tets[4 * t + c]! + k]!;
      const inside = sum < at === this.flipped ? 0 : 1;
      if (inside !== this.inside[t]) changed = true;
      this.inside[t] = inside;
    }
    this.selected = true;
    if (changed) this.gather(topology, surface);
  }

  /** Collects the faces and vertices of the remaining tets. */
  private gather(topology: Topology, surface: Surface): void {
    const { tets } = topology;
    const count = tets.length / 4;
    this.shown = new Uint8Array(topology.numVertices).fill(1);
    for (const v of tets) this.shown[v] = 0;
    const opened = this.opened!;
    const outer = this.outer!;
    opened.size = outer.size = 0;
    // Parts without tets are not cut.
    for (let i = 0; i + 3 <= topology.triangles.length; i += 3) {
      const [a, b, c] = topology.triangles.subarray(i, i + 3);
      if (this.shown[a!] === 0) continue;
      outer.add(surface.localOf[a!]!, surface.localOf[b!]!, surface.localOf[c!]!);
    }
    for (let t = 0; t < count; t++) {
      if (this.inside[t] === 0) continue;
      for (let c = 0; c < 4; c++) this.shown[tets[4 * t + c]!] = 1;
      for (let f = 0; f < 4; f++) {
        const other = this.neighbours![4 * t + f]!;
        if (other >= 0 && this.inside[other] === 1) continue;
        const a = tets[4 * t + FACES[f]![0]]!;
        const b = tets[4 * t + FACES[f]![1]]!;
        const c = tets[4 * t + FACES[f]![2]]!;
        const { localOf } = surface;
        if (other < 0) outer.add(localOf[a]!, localOf[b]!, localOf[c]!);
        else opened.add(a, b, c);
      }
    }
    opened.done();
    outer.done();
  }

  /** Call this after the surface has been updated. */
  update(frame: Frame): void {
    const { topology, surface } = this;
    if (!this.enabled || !frame.all || topology === null || surface === null) return;
    if (!this.available) return;
    if (this.neighbours === null) this.prepare(topology, surface);
    const geometry = this.opened!.mesh.geometry;
    const position = geometry.getAttribute('position') as THREE.BufferAttribute;
    (position.array as Float32Array).set(frame.positions);
    position.needsUpdate = true;
    this.select(this.byRest ? topology.rest : frame.positions, topology, surface);
    if (frame.colours !== null && frame.colour !== null) {
      const { low, high } = frame.colour;
      for (let i = 0; i < frame.colours.length; i++) {
        this.values[2 * i] = colourPlace(frame.colours[i]!, low, high);
      }
      geometry.getAttribute('uv').needsUpdate = true;
    }
    this.placePlane();
  }

  /** Call this when the surface's material has got another texture, or none. */
  followMaterial(): void {
    this.material.map = this.surfaceMaterial.map;
    this.material.vertexColors = this.surfaceMaterial.vertexColors;
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
