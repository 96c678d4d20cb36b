/** Draws colliders: built once from their parameters, moved as a whole in every frame. */
import * as THREE from 'three';
import { readPlacement } from '../protocol/frame';
import type { Topology } from '../protocol/topology';
import { vec3 } from '../protocol/values';
import { isObject, type JsonObject } from '../protocol/packet';

const UP = new THREE.Vector3(0, 1, 0);

const vector = (value: unknown, otherwise: [number, number, number]): THREE.Vector3 =>
  new THREE.Vector3(...vec3(value, otherwise));
const positive = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : otherwise;

/** The parameters are in an object named after the type, as in the scene file. */
export function parametersOf(collider: JsonObject): { type: string; of: JsonObject } {
  const type = typeof collider['type'] === 'string' ? collider['type'] : '';
  const inner = collider[type];
  return { type, of: isObject(inner) ? inner : {} };
}

function placed(
  geometry: THREE.BufferGeometry,
  from: THREE.Vector3,
  axis: THREE.Vector3,
  at: THREE.Vector3,
) {
  const turn = new THREE.Quaternion().setFromUnitVectors(from, axis.normalize());
  return geometry.applyQuaternion(turn).translate(at.x, at.y, at.z);
}

function geometryOf(type: string, of: JsonObject, span: number): THREE.BufferGeometry | null {
  const center = vector(of['center'], [0, 0, 0]);
  switch (type) {
    case 'plane': {
      const normal = vector(of['normal'], [0, 1, 0]).normalize();
      const offset = typeof of['offset'] === 'number' ? of['offset'] : 0;
      const size = 8 * span;
      const plane = new THREE.PlaneGeometry(size, size);
      return placed(
        plane,
        new THREE.Vector3(0, 0, 1),
        normal.clone(),
        normal.multiplyScalar(offset),
      );
    }
    case 'sphere':
      return new THREE.SphereGeometry(positive(of['radius'], 1), 48, 32).translate(
        ...center.toArray(),
      );
    case 'box': {
      const size = vector(of['size'], [1, 1, 1]);
      const degrees = typeof of['degrees'] === 'number' ? of['degrees'] : 0;
      const axis = vector(of['axis'], [0, 1, 0]).normalize();
      const turn = new THREE.Quaternion().setFromAxisAngle(axis, (degrees * Math.PI) / 180);
      return new THREE.BoxGeometry(size.x, size.y, size.z)
        .applyQuaternion(turn)
        .translate(center.x, center.y, center.z);
    }
    case 'capsule': {
      const a = vector(of['a'], [0, 0, 0]);
      const b = vector(of['b'], [0, 1, 0]);
      const along = b.clone().sub(a);
      const capsule = new THREE.CapsuleGeometry(
        positive(of['radius'], 0.5),
        along.length(),
        12,
        32,
      );
      return placed(
        capsule,
        UP,
        along.lengthSq() > 0 ? along : UP.clone(),
        a.add(b).multiplyScalar(0.5),
      );
    }
    case 'cylinder': {
      const radius = positive(of['radius'], 0.5);
      const cylinder = new THREE.CylinderGeometry(radius, radius, positive(of['height'], 1), 48);
      return placed(cylinder, UP, vector(of['axis'], [0, 1, 0]), center);
    }
    case 'torus': {
      const torus = new THREE.TorusGeometry(
        positive(of['major'], 1),
        positive(of['minor'], 0.3),
        24,
        72,
      );
      return placed(torus, new THREE.Vector3(0, 0, 1), vector(of['axis'], [0, 1, 0]), center);
    }
    default:
      return null;
  }
}

interface Drawn {
  key: string;
  object: THREE.Group;
}

export class Colliders {
  readonly group = new THREE.Group();
  readonly material = new THREE.MeshStandardMaterial({
    roughness: 0.95,
    metalness: 0,
    side: THREE.DoubleSide,
  });
  private readonly planeMaterial = new THREE.MeshStandardMaterial({
    roughness: 1,
    transparent: true,
    opacity: 0.16,
    depthWrite: false,
    side: THREE.DoubleSide,
  });
  private drawn: Drawn[] = [];
  private meshes: Topology['colliderMeshes'] = new Map();
  /** The height of the first horizontal plane, for the grid. */
  ground: number | null = null;

  setColour(colour: number): void {
    this.material.color.setHex(colour);
    this.planeMaterial.color.setHex(colour);
  }

  object(index: number): THREE.Object3D | null {
    return this.drawn[index]?.object ?? null;
  }

  setTopology(topology: Topology): void {
    this.meshes = topology.colliderMeshes;
    for (const drawn of this.drawn) this.remove(drawn);
    this.drawn = [];
  }

  update(colliders: JsonObject[], span: number): void {
    while (this.drawn.length > colliders.length) this.remove(this.drawn.pop()!);
    this.ground = null;
    colliders.forEach((collider, i) => {
      const { type, of } = parametersOf(collider);
      const key = JSON.stringify([type, of, span]);
      let drawn = this.drawn[i];
      if (drawn === undefined || drawn.key !== key) {
        if (drawn !== undefined) this.remove(drawn);
        drawn = { key, object: this.build(type, of, span, i) };
        this.drawn[i] = drawn;
        this.group.add(drawn.object);
      }
      // A collider rotates about the origin, then moves.
      const { translate, axis, degrees } = readPlacement(collider);
      const turn = new THREE.Vector3(...axis).normalize();
      drawn.object.position.set(...translate);
      drawn.object.quaternion.setFromAxisAngle(turn, (degrees * Math.PI) / 180);
      if (type === 'plane') this.noteGround(of, drawn.object);
    });
  }

  private noteGround(of: JsonObject, object: THREE.Object3D): void {
    const normal = vector(of['normal'], [0, 1, 0]).normalize();
    const offset = typeof of['offset'] === 'number' ? of['offset'] : 0;
    const foot = normal.clone().multiplyScalar(offset).applyQuaternion(object.quaternion);
    normal.applyQuaternion(object.quaternion);
    if (normal.y > 0.999) this.ground ??= foot.add(object.position).y;
  }

  private build(type: string, of: JsonObject, span: number, index: number): THREE.Group {
    const group = new THREE.Group();
    const geometry = type === 'mesh' ? this.meshGeometry(index) : geometryOf(type, of, span);
    if (geometry !== null) {
      const mesh = new THREE.Mesh(geometry, type === 'plane' ? this.planeMaterial : this.material);
      mesh.receiveShadow = type !== 'plane';
      mesh.castShadow = type !== 'plane';
      mesh.userData['collider'] = index;
      group.add(mesh);
    }
    return group;
  }

  /** Extends a box so that it contains all finite colliders. */
  extendBox(box: THREE.Box3): void {
    for (const { object } of this.drawn) {
      for (const child of object.children) {
        if (child instanceof THREE.Mesh && child.material === this.material) {
          box.expandByObject(child);
        }
      }
    }
  }

  private meshGeometry(index: number): THREE.BufferGeometry | null {
    const mesh = this.meshes.get(index);
    if (mesh === undefined) return null;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(mesh.vertices, 3));
    geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
    geometry.computeVertexNormals();
    return geometry;
  }

  private remove(drawn: Drawn): void {
    drawn.object.removeFromParent();
    drawn.object.traverse((o) => {
      if (o instanceof THREE.Mesh) (o.geometry as THREE.BufferGeometry).dispose();
    });
  }
}
