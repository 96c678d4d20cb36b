/** Pinned vertices as diamonds: their shape distinguishes them from the body without colour. */
import * as THREE from 'three';
import type { Frame, Pin } from '../protocol/frame';
import type { Surface } from './surface';

function diamond(): THREE.CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 32;
  const c = canvas.getContext('2d')!;
  c.translate(16, 16);
  c.rotate(Math.PI / 4);
  c.fillStyle = '#fff';
  c.fillRect(-9, -9, 18, 18);
  c.lineWidth = 2.5;
  c.strokeStyle = '#000';
  c.strokeRect(-9, -9, 18, 18);
  return new THREE.CanvasTexture(canvas);
}

export class Pins {
  readonly object: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  wanted = true;
  list: Pin[] = [];
  private changed = false;
  private held = new Map<string, number[]>();
  private vertices: number[] = [];
  private positions = new Float32Array(0);

  constructor() {
    this.object = new THREE.Points(
      new THREE.BufferGeometry(),
      new THREE.PointsMaterial({
        size: 9,
        sizeAttenuation: false,
        map: diamond(),
        transparent: true,
        alphaTest: 0.4,
      }),
    );
    this.object.frustumCulled = false;
  }

  setColour(colour: number): void {
    this.object.material.color.setHex(colour);
  }

  clear(): void {
    this.held.clear();
    this.vertices = [];
    this.list = [];
    this.object.geometry.setDrawRange(0, 0);
  }

  isPinned(vertex: number): boolean {
    return this.vertices.includes(vertex);
  }

  /** The pin that holds a vertex. */
  pinOf(vertex: number): Pin | null {
    return this.list.find((p) => this.held.get(`${p.body}/${p.pin}`)?.includes(vertex)) ?? null;
  }

  /** Call this for every frame, drawn or not. */
  note(frame: Frame): void {
    for (const pin of frame.pins) {
      if (pin.vertices === null) continue;
      this.held.set(`${pin.body}/${pin.pin}`, pin.vertices);
      this.changed = true;
    }
    if (frame.pins.length !== this.list.length) this.changed = true;
    this.list = frame.pins;
  }

  /** `shows`: whether a vertex is visible; where the body is cut away, no pins are drawn. */
  update(surface: Surface, shows: (vertex: number) => boolean): void {
    if (this.changed) this.rebuild(surface);
    this.changed = false;
    let size = 0;
    for (const vertex of this.vertices) {
      if (!shows(vertex)) continue;
      const local = surface.localOf[vertex]!;
      for (let k = 0; k < 3; k++) this.positions[3 * size + k] = surface.positions[3 * local + k]!;
      size++;
    }
    this.object.geometry.setDrawRange(0, size);
    const attribute = this.object.geometry.getAttribute('position');
    if (attribute !== undefined) attribute.needsUpdate = true;
  }

  private rebuild(surface: Surface): void {
    const there = new Set(this.list.map((p) => `${p.body}/${p.pin}`));
    for (const key of this.held.keys()) if (!there.has(key)) this.held.delete(key);
    const all = new Set<number>();
    for (const vertices of this.held.values()) {
      for (const v of vertices) if ((surface.localOf[v] ?? -1) >= 0) all.add(v);
    }
    this.vertices = [...all];
    if (3 * this.vertices.length > this.positions.length) {
      this.positions = new Float32Array(6 * this.vertices.length);
      this.object.geometry.dispose();
      this.object.geometry = new THREE.BufferGeometry();
      this.object.geometry.setAttribute('position', new THREE.BufferAttribute(this.positions, 3));
    }
  }
}
