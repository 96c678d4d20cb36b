/**
 * What a pointer on the viewport does: on the body it uses the chosen tool, elsewhere it turns the
 * view. The other buttons, a second finger and the wheel always control the view.
 */
import type { World } from '../view/world';

export type ToolName = 'pull' | 'pin' | 'box' | 'handle' | 'knife';

export interface Place {
  x: number;
  y: number;
}

export interface Tool {
  readonly name: ToolName;
  /** Returns true if the pointer belongs to the tool from now on. */
  down(at: Place, event: PointerEvent): boolean;
  move(at: Place, pointer: number): void;
  up(at: Place, pointer: number, cancelled: boolean): void;
  /** The pointer is over the viewport with no button pressed. Returns the cursor. */
  hover?(at: Place): string;
  enter?(): void;
  leave?(): void;
}

export class Pointers {
  private readonly tools = new Map<ToolName, Tool>();
  private current: Tool | null = null;
  private readonly held = new Map<number, Tool>();
  private readonly listeners: ((name: ToolName) => void)[] = [];

  constructor(private readonly world: World) {
    const canvas = world.stage.renderer.domElement;
    // Before OrbitControls, which listens on the same element.
    canvas.addEventListener('pointerdown', (e) => this.down(e), { capture: true });
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e, false));
    canvas.addEventListener('pointercancel', (e) => this.up(e, true));
    canvas.addEventListener('lostpointercapture', (e) => this.up(e, true));
  }

  add(tool: Tool): void {
    this.tools.set(tool.name, tool);
  }

  onChange(listener: (name: ToolName) => void): void {
    this.listeners.push(listener);
  }

  choose(name: ToolName): void {
    const tool = this.tools.get(name);
    if (tool === undefined || tool === this.current) return;
    this.current?.leave?.();
    this.current = tool;
    tool.enter?.();
    for (const listener of this.listeners) listener(name);
  }

  get chosen(): ToolName {
    return this.current?.name ?? 'pull';
  }

  private place(event: PointerEvent): Place {
    const box = this.world.stage.renderer.domElement.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    this.world.stage.renderer.domElement.focus({ preventScroll: true });
    if (event.button !== 0 || event.altKey || this.current === null) return;
    if (!this.current.down(this.place(event), event)) return;
    this.held.set(event.pointerId, this.current);
    this.world.stage.controls.enabled = false;
    this.world.stage.renderer.domElement.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    const tool = this.held.get(event.pointerId);
    if (tool !== undefined) tool.move(this.place(event), event.pointerId);
    else if (event.buttons === 0 && this.held.size === 0) {
      const cursor = this.current?.hover?.(this.place(event)) ?? '';
      this.world.stage.renderer.domElement.style.cursor = cursor;
    }
  }

  private up(event: PointerEvent, cancelled: boolean): void {
    const tool = this.held.get(event.pointerId);
    if (tool === undefined) return;
    this.held.delete(event.pointerId);
    tool.up(this.place(event), event.pointerId, cancelled);
    if (this.held.size === 0) this.world.stage.controls.enabled = true;
  }
}
