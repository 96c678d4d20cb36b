/**
 * Forces as arrows that start where they act. Their lengths and widths are in pixels, whatever the
 * scene's size and the viewpoint: zooming moves the points apart and leaves the arrows as they are.
 */
import * as THREE from 'three';
import type { Forces } from '../protocol/frame';

/** The length of an arrow for the force `scale`, pixels. */
export const USUAL = 110;
/**
 * Larger forces, as in an impact, get arrows of this length, pixels, so that they do not fill the
 * view.
 */
const LONGEST = 3 * USUAL;
/** Shorter arrows would look like a dot, pixels. */
const SHORTEST = 2;
const HEAD = { length: 12, radius: 4.5 };
const SHAFT = 1.7;
/** Length of the head relative to the arrow, if the arrow is short; its width shrinks alike. */
const SHORT_HEAD = 0.6;
const UP = new THREE.Vector3(0, 1, 0);

/**
 * An arrow to be drawn: where, in which direction, and the sizes of shaft and head in the world.
 */
interface Arrow {
  shaft: THREE.Matrix4;
  head: THREE.Matrix4;
}

/** Instances that are drawn twice: normally, and dimmed where something is in front of them. */
class Parts {
  readonly meshes: THREE.InstancedMesh[];

  constructor(
    private readonly geometry: THREE.BufferGeometry,
    private readonly materials: THREE.Material[],
    readonly capacity: number,
  ) {
    this.meshes = materials.map((material, i) => {
      const mesh = new THREE.InstancedMesh(geometry, material, capacity);
      mesh.frustumCulled = false;
      // Drawn before the pulls; parts that are hidden by something are drawn before the others.
      mesh.renderOrder = 9 - i;
      return mesh;
    });
    for (const mesh of this.meshes) mesh.instanceMatrix = this.meshes[0]!.instanceMatrix;
    this.meshes[0]!.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  }

  set(i: number, matrix: THREE.Matrix4): void {
    matrix.toArray(this.meshes[0]!.instanceMatrix.array, 16 * i);
  }

  show(count: number): void {
    for (const mesh of this.meshes) mesh.count = count;
    this.meshes[0]!.instanceMatrix.needsUpdate = true;
  }

  withRoomFor(count: number): Parts {
    if (count <= this.capacity) return this;
    const parent = this.meshes[0]!.parent;
    const larger = new Parts(this.geometry, this.materials, Math.max(count, 2 * this.capacity));
    for (const mesh of this.meshes) {
      mesh.removeFromParent();
      mesh.dispose();
    }
    parent?.add(...larger.meshes);
    return larger;
  }
}

export class Arrows {
  readonly group = new THREE.Group();
  wanted = false;
  private readonly seen = new THREE.MeshLambertMaterial({ transparent: true });
  private readonly hidden = new THREE.MeshBasicMaterial({
    transparent: true,
    opacity: 0.55,
    depthFunc: THREE.GreaterDepth,
    depthWrite: false,
  });
  private shafts: Parts;
  private heads: Parts;
  /** Starting points, and forces relative to `scale`: 3 numbers each. */
  private points = new Float32Array(0);
  private forces = new Float32Array(0);
  private size = 0;

  constructor() {
    const materials = [this.seen, this.hidden];
    // Length 1 and radius 1, upwards from the origin.
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 8, 1, true).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0);
    this.shafts = new Parts(shaft, materials, 64);
    this.heads = new Parts(head, materials, 64);
    this.group.add(...this.shafts.meshes, ...this.heads.meshes);
  }

  setColour(colour: number): void {
    this.seen.color.setHex(colour);
    this.seen.emissive.setHex(colour).multiplyScalar(0.1);
    this.hidden.color.setHex(colour);
  }

  /** Number of arrows, drawn or not. */
  get count(): number {
    return this.size;
  }

  /** A contact between two bodies gets an arrow on each of them. */
  update(forces: Forces | null, numBodies: number): void {
    this.size = 0;
    if (forces === null || !(forces.scale > 0)) return;
    const { points, vectors, touching, scale } = forces;
    const most = touching.length;
    if (3 * most > this.points.length) {
      this.points = new Float32Array(3 * most);
      this.forces = new Float32Array(3 * most);
    }
    const add = (i: number, sign: number): void => {
      for (let k = 0; k < 3; k++) {
        this.points[3 * this.size + k] = points[3 * i + k]!;
        this.forces[3 * this.size + k] = (sign * vectors[3 * i + k]!) / scale;
      }
      this.size++;
    };
    for (let i = 0; 2 * i < touching.length; i++) {
      add(i, 1);
      if (touching[2 * i + 1]! < numBodies) add(i, -1);
    }
  }

  private readonly arrow: Arrow = { shaft: new THREE.Matrix4(), head: new THREE.Matrix4() };
  private readonly point = new THREE.Vector3();
  private readonly along = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  private readonly stretch = new THREE.Vector3();

  /** Sizes the arrows as seen by a camera, in a picture that is `height` pixels high. */
  place(camera: THREE.PerspectiveCamera, height: number): void {
    if (!this.group.visible) return;
    this.shafts = this.shafts.withRoomFor(this.size);
    this.heads = this.heads.withRoomFor(this.size);
    // Size of a pixel at distance 1.
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height / camera.zoom;
    const view = camera.matrixWorldInverse;
    let drawn = 0;
    for (let i = 0; i < this.size; i++) {
      this.point.fromArray(this.points, 3 * i);
      this.along.fromArray(this.forces, 3 * i);
      const e = view.elements;
      const away = -(e[2]! * this.point.x + e[6]! * this.point.y + e[10]! * this.point.z + e[14]!);
      const length = USUAL * this.along.length();
      if (!(away > camera.near) || !(length >= SHORTEST && length < Infinity)) continue;
      this.shape(Math.min(LONGEST, length), pixel * away);
      this.shafts.set(drawn, this.arrow.shaft);
      this.heads.set(drawn, this.arrow.head);
      drawn++;
    }
    this.shafts.show(drawn);
    this.heads.show(drawn);
  }

  /** Shapes the arrow at `point` along `along`, `length` pixels long: its parts in the world. */
  private shape(length: number, pixel: number): void {
    const { shaft, head } = this.arrow;
    const tip = Math.min(HEAD.length, SHORT_HEAD * length);
    const thin = tip / HEAD.length;
    this.along.normalize();
    this.turn.setFromUnitVectors(UP, this.along);
    const radius = SHAFT * thin * pixel;
    this.stretch.set(radius, (length - tip) * pixel, radius);
    shaft.compose(this.point, this.turn, this.stretch);
    this.point.addScaledVector(this.along, (length - tip) * pixel);
    this.stretch.set(HEAD.radius * thin * pixel, tip * pixel, HEAD.radius * thin * pixel);
    head.compose(this.point, this.turn, this.stretch);
  }
}
