/** Pulling: a spring from the vertex under the pointer to the pointer. */
import * as THREE from 'three';
import type { Client } from '../engine/client';
import type { World } from '../view/world';
import type { Place, Tool } from './pointer';

interface Held {
  grab: number;
  vertex: number;
  /**
   * The pointer moves on this plane, which faces the viewer and contains the vertex at the start.
   */
  plane: THREE.Plane;
  offset: THREE.Vector3;
}

export class PullTool implements Tool {
  readonly name = 'pull';
  /** N/m; 0: the engine chooses it from the mass of the body and the time step. */
  stiffness = 0;
  /** Radius around the vertex that is gripped, m; null: a twentieth of the body's diagonal. */
  radius: number | null = null;
  /** Random start, so that numbers differ from those of other pages that pull the same body. */
  private lastGrab = Math.floor(Math.random() * 2 ** 40);
  private readonly held = new Map<number, Held>();

  constructor(
    private readonly world: World,
    private readonly client: Client,
  ) {}

  down(at: Place, event: PointerEvent): boolean {
    const hit = this.world.pick(at.x, at.y, event.pointerType === 'touch' ? 20 : 8);
    if (hit === null) return false;
    const normal = this.world.stage.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point);
    const held: Held = {
      grab: ++this.lastGrab,
      vertex: hit.vertex,
      plane,
      offset: new THREE.Vector3(),
    };
    // The vertex is not exactly under the pointer: keep the offset, so that it does not jump.
    const start = this.world.stage.ray(at.x, at.y).intersectPlane(plane, new THREE.Vector3());
    if (start !== null) held.offset.copy(hit.point).sub(start);
    this.held.set(event.pointerId, held);
    this.world.ownPulls.set(held.grab, { vertex: held.vertex, to: hit.point.clone() });
    this.client.send('grab', {
      grab: held.grab,
      vertex: held.vertex,
      to: hit.point.toArray(),
      stiffness: this.stiffness,
      ...(this.radius === null ? {} : { radius: this.radius }),
    });
    this.world.redrawPulls();
    return true;
  }

  move(at: Place, pointer: number): void {
    const held = this.held.get(pointer);
    if (held === undefined) return;
    const to = this.world.stage.ray(at.x, at.y).intersectPlane(held.plane, new THREE.Vector3());
    if (to === null) return;
    to.add(held.offset);
    this.world.ownPulls.get(held.grab)?.to.copy(to);
    this.client.sendLatest(`drag ${held.grab}`, 'drag', { grab: held.grab, to: to.toArray() });
    this.world.redrawPulls();
  }

  up(_at: Place, pointer: number): void {
    const held = this.held.get(pointer);
    if (held === undefined) return;
    this.held.delete(pointer);
    this.world.ownPulls.delete(held.grab);
    this.client.sendLatest(`drag ${held.grab}`, 'release', { grab: held.grab });
    this.world.redrawPulls();
  }

  hover(at: Place): string {
    return this.world.pick(at.x, at.y) === null ? '' : 'grab';
  }
}
