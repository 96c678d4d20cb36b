/**
 * Moves and rotates a pin or a collider as a whole with three.js' gizmo. It sends the whole
 * displacement from the place in the scene, not what a drag added to it.
 */
import * as THREE from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { Client } from '../engine/client';
import { readPlacement, type Placement } from '../protocol/frame';
import { vec3 } from '../protocol/values';
import { isObject } from '../protocol/packet';
import type { World } from '../view/world';
import type { Place, Tool } from './pointer';

type Target = { kind: 'handle'; body: number; pin: number } | { kind: 'collider'; index: number };

export class HandleTool implements Tool {
  readonly name = 'handle';
  private readonly proxy = new THREE.Object3D();
  private readonly controls: TransformControls;
  private target: Target | null = null;
  private readonly base = { position: new THREE.Vector3(), turn: new THREE.Quaternion() };
  private readonly start = { position: new THREE.Vector3(), turn: new THREE.Quaternion() };
  private dragging = false;
  onMode: (mode: 'translate' | 'rotate') => void = () => undefined;

  constructor(
    private readonly world: World,
    private readonly client: Client,
    private readonly fail: (error: unknown) => void,
  ) {
    const { stage } = world;
    this.controls = new TransformControls(stage.camera, stage.renderer.domElement);
    this.controls.setSize(0.8);
    stage.scene.add(this.proxy, this.controls.getHelper());
    this.controls.enabled = false;
    this.controls.addEventListener('change', () => stage.redraw());
    this.controls.addEventListener('dragging-changed', (event) => {
      this.dragging = event.value === true;
      stage.controls.enabled = !this.dragging;
      if (this.dragging) {
        this.start.position.copy(this.proxy.position);
        this.start.turn.copy(this.proxy.quaternion);
      } else this.send(true);
    });
    this.controls.addEventListener('objectChange', () => this.send(false));
    world.onShown(() => this.follow());
    client.on('topology', () => this.detach());
  }

  setMode(mode: 'translate' | 'rotate'): void {
    this.controls.setMode(mode);
    this.onMode(mode);
  }

  enter(): void {
    this.controls.enabled = true;
    // If there is only one pin, it needs no choosing.
    const [only, second] = this.world.pins.list;
    if (this.target === null && only !== undefined && second === undefined) {
      this.attach({ kind: 'handle', body: only.body, pin: only.pin });
    }
  }

  leave(): void {
    this.controls.enabled = false;
    this.detach();
  }

  private detach(): void {
    this.target = null;
    this.dragging = false;
    this.controls.detach();
    this.world.stage.redraw();
  }

  private attach(target: Target): void {
    this.target = target;
    this.controls.attach(this.proxy);
    this.controls.enabled = true;
    this.follow();
  }

  /** Where the target is, and how it has been moved by hand so far. */
  private present(): { center: THREE.Vector3; placement: Placement } | null {
    const { target } = this;
    if (target === null) return null;
    if (target.kind === 'handle') {
      const pin = this.world.pins.list.find((p) => p.body === target.body && p.pin === target.pin);
      if (pin === undefined) return null;
      return { center: new THREE.Vector3(...pin.center), placement: pin.placement };
    }
    const collider = this.world.shown?.colliders[target.index];
    const placed = collider?.['placed'];
    if (collider === undefined || !isObject(placed)) return null;
    return {
      center: new THREE.Vector3(...vec3(collider['center'])),
      placement: readPlacement(placed),
    };
  }

  private follow(): void {
    if (this.target === null || this.dragging) return;
    const now = this.present();
    if (now === null) return this.detach();
    const axis = new THREE.Vector3(...now.placement.axis).normalize();
    this.base.position.set(...now.placement.translate);
    this.base.turn.setFromAxisAngle(axis, (now.placement.degrees * Math.PI) / 180);
    this.proxy.position.copy(now.center);
    this.proxy.quaternion.copy(this.base.turn);
  }

  private send(final: boolean): void {
    const { target } = this;
    if (target === null) return;
    const translate = this.proxy.position.clone().sub(this.start.position).add(this.base.position);
    const turn = this.proxy.quaternion.clone();
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const sine = Math.hypot(turn.x, turn.y, turn.z);
    const axis = sine < 1e-9 ? [0, 1, 0] : [turn.x / sine, turn.y / sine, turn.z / sine];
    const degrees = (2 * Math.atan2(sine, turn.w) * 180) / Math.PI;
    const { kind, ...which } = target;
    const keys = { ...which, translate: translate.toArray(), axis, degrees, final };
    this.client.sendLatest(kind, kind, keys, this.fail);
  }

  /**
   * Tells the gizmo where the pointer is, with everything at its current place: a finger does not
   * hover, and the frame that would move the gizmo there may not have been drawn yet.
   */
  private aim(at: Place, event: PointerEvent): void {
    const { x, y } = this.world.stage.normalised(at.x, at.y);
    const pointer = { x, y, button: event.button };
    this.controls.getHelper().updateMatrixWorld();
    this.controls.pointerHover(pointer as PointerEvent); // it reads only these fields of an event
  }

  down(at: Place, event: PointerEvent): boolean {
    this.aim(at, event);
    // A pointer on the gizmo belongs to the gizmo, which listens on the same element.
    if (this.controls.axis !== null) return false;
    const { stage } = this.world;
    const caster = new THREE.Raycaster();
    caster.ray.copy(stage.ray(at.x, at.y));
    const hit = this.world.pick(at.x, at.y, 14);
    const pin = hit === null ? null : this.world.pins.pinOf(hit.vertex);
    if (pin !== null) {
      this.attach({ kind: 'handle', body: pin.body, pin: pin.pin });
      return true;
    }
    const [collider] = caster.intersectObject(this.world.colliders.group, true);
    const index: unknown = collider?.object.userData['collider'];
    if (hit === null && typeof index === 'number') {
      this.attach({ kind: 'collider', index });
      // The view can still be turned by dragging on a ground that fills it.
      return false;
    }
    return false;
  }

  move(): void {}
  up(): void {}

  hover(at: Place): string {
    const hit = this.world.pick(at.x, at.y, 14);
    return hit !== null && this.world.pins.pinOf(hit.vertex) !== null ? 'pointer' : '';
  }
}
