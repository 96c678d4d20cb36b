/** Pinning by a click, or by drawing a box on the view. */
import type { Client } from '../engine/client';
import { h } from '../ui/dom';
import type { World } from '../view/world';
import type { Place, Tool } from './pointer';

/** Releases a vertex that is pinned; holds any other where it is. */
export class PinTool implements Tool {
  readonly name = 'pin';

  constructor(
    private readonly world: World,
    private readonly client: Client,
    private readonly fail: (error: unknown) => void,
  ) {}

  down(at: Place, event: PointerEvent): boolean {
    const hit = this.world.pick(at.x, at.y, event.pointerType === 'touch' ? 20 : 8);
    if (hit === null) return false;
    const command = this.world.pins.isPinned(hit.vertex) ? 'unpin' : 'pin';
    this.client.request(command, { vertices: [hit.vertex] }).catch(this.fail);
    return true;
  }

  move(): void {}
  up(): void {}

  hover(at: Place): string {
    return this.world.pick(at.x, at.y) === null ? '' : 'crosshair';
  }
}

/** Pins the surface vertices in the box, or with shift releases them. */
export class BoxTool implements Tool {
  readonly name = 'box';
  readonly element = h('div', { class: 'selection', hidden: true });
  private from: Place | null = null;
  private unpins = false;

  constructor(
    private readonly world: World,
    private readonly client: Client,
    private readonly fail: (error: unknown) => void,
  ) {}

  down(at: Place, event: PointerEvent): boolean {
    this.from = at;
    this.unpins = event.shiftKey;
    this.element.classList.toggle('unpins', this.unpins);
    this.show(at);
    return true;
  }

  private corners(to: Place): [number, number, number, number] {
    const from = this.from ?? to;
    return [
      Math.min(from.x, to.x),
      Math.min(from.y, to.y),
      Math.max(from.x, to.x),
      Math.max(from.y, to.y),
    ];
  }

  private show(to: Place): void {
    const [x0, y0, x1, y1] = this.corners(to);
    this.element.hidden = false;
    Object.assign(this.element.style, {
      left: `${x0}px`,
      top: `${y0}px`,
      width: `${x1 - x0}px`,
      height: `${y1 - y0}px`,
    });
  }

  move(at: Place): void {
    if (this.from !== null) this.show(at);
  }

  up(at: Place, _pointer: number, cancelled: boolean): void {
    this.element.hidden = true;
    const box = this.corners(at);
    this.from = null;
    if (cancelled) return;
    const all = this.world.pickBox(...box);
    // Only vertices that change: pinning takes the free ones, unpinning the held ones.
    const vertices = all.filter((v) => this.world.pins.isPinned(v) === this.unpins);
    if (vertices.length === 0) return;
    this.client.request(this.unpins ? 'unpin' : 'pin', { vertices }).catch(this.fail);
  }

  hover(): string {
    return 'crosshair';
  }
}
