/** Cutting: a stroke on the view cuts everything behind it. */
import * as THREE from 'three';
import type { Client } from '../engine/client';
import type { World } from '../view/world';
import type { Place, Tool } from './pointer';

/** Pixels between two points of a stroke; a shorter stroke cuts nothing. */
const STEP = 6;
/** The engine takes 1000 triangles, two for each part of a stroke. */
const MOST_POINTS = 501;

export class KnifeTool implements Tool {
  readonly name = 'knife';
  readonly element: SVGSVGElement;
  private readonly line: SVGPolylineElement;
  private stroke: Place[] = [];
  private pointer: number | null = null;

  constructor(
    private readonly world: World,
    private readonly client: Client,
    private readonly tell: (text: string) => void,
    private readonly fail: (error: unknown) => void,
  ) {
    const space = 'http://www.w3.org/2000/svg';
    this.element = document.createElementNS(space, 'svg');
    this.element.setAttribute('class', 'stroke');
    this.element.setAttribute('aria-hidden', 'true');
    this.line = document.createElementNS(space, 'polyline');
    this.element.append(this.line);
  }

  down(at: Place, event: PointerEvent): boolean {
    if (this.pointer !== null) return false;
    this.pointer = event.pointerId;
    this.stroke = [at];
    return true;
  }

  move(at: Place, pointer: number): void {
    const last = this.stroke[this.stroke.length - 1];
    if (pointer !== this.pointer || last === undefined) return;
    if (Math.hypot(at.x - last.x, at.y - last.y) < STEP) return;
    this.stroke.push(at);
    if (this.stroke.length > MOST_POINTS) {
      const end = this.stroke.length - 1;
      this.stroke = this.stroke.filter((_, i) => i % 2 === 0 || i === end);
    }
    this.line.setAttribute('points', this.stroke.map((p) => `${p.x},${p.y}`).join(' '));
  }

  up(at: Place, pointer: number, cancelled: boolean): void {
    if (pointer !== this.pointer) return;
    this.move(at, pointer);
    const stroke = this.stroke;
    this.leave();
    if (cancelled || stroke.length < 2) return;
    this.client
      .request('cut', { triangles: this.behind(stroke) })
      .then((reply) => {
        if (reply.header['separated'] === 0)
          this.tell('There is nothing to cut behind the stroke.');
      })
      .catch(this.fail);
  }

  leave(): void {
    this.pointer = null;
    this.stroke = [];
    this.line.removeAttribute('points');
  }

  hover(): string {
    return 'crosshair';
  }

  /** Triangles of the surface that the stroke sweeps away from the viewer: three corners each. */
  private behind(stroke: Place[]): number[][] {
    const { camera } = this.world.stage;
    const edges = stroke.map((at) => {
      const ray = this.world.stage.ray(at.x, at.y);
      const along = (distance: number) => ray.at(distance, new THREE.Vector3()).toArray();
      return { near: along(camera.near), far: along(camera.far) };
    });
    return edges.slice(1).flatMap((to, i) => {
      const from = edges[i]!;
      return [from.near, from.far, to.far, from.near, to.far, to.near];
    });
  }
}
