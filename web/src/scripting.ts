/** `window.supple`: the interface for scripts in the browser's console and for tests. */
import * as THREE from 'three';
import type { Page } from './page';
import type { Frame } from './protocol/frame';
import type { Hello, Reply, Status } from './protocol/messages';
import type { SceneMessage } from './protocol/scene';
import type { Topology } from './protocol/topology';
import type { JsonObject } from './protocol/packet';

export interface SuppleHooks {
  readonly engine: string;
  readonly connected: boolean;
  /** The engine's first message; null until it arrives. */
  readonly hello: Hello | null;
  /** The newest frame that is drawn, with its `positions`. */
  readonly frame: Frame | null;
  readonly scene: SceneMessage | null;
  readonly status: Status;
  readonly topology: Topology | null;
  /** Number of messages that were malformed and skipped. */
  readonly refused: number;
  readonly stats: { script_ms: number; draw_ms: number; fps: number; frames: number };
  /** The position of a vertex, m; null if frames do not have it. */
  position(vertex: number): [number, number, number] | null;
  /** Where a vertex, or a point of the world, is drawn: page pixels; null if behind the viewer. */
  project(what: number | [number, number, number]): [number, number] | null;
  /** The vertex under a point of the page, in pixels. */
  pick(x: number, y: number): number | null;
  /** Sends a command of docs/viewer_protocol.md; throws if the engine refuses it. */
  command(name: string, keys?: JsonObject): Promise<Reply>;
}

declare global {
  interface Window {
    supple?: SuppleHooks;
  }
}

export function exposeHooks(page: Page): void {
  const { client, world, stage } = page;
  const corner = () => stage.renderer.domElement.getBoundingClientRect();
  window.supple = {
    engine: client.engine.name,
    get connected() {
      return page.connected;
    },
    get hello() {
      return client.hello;
    },
    get frame() {
      return world.shown;
    },
    get scene() {
      return client.scene;
    },
    get status() {
      return client.status;
    },
    get topology() {
      return client.topology;
    },
    get refused() {
      return client.refused;
    },
    get stats() {
      const { script_ms, draw_ms, fps, frames } = world.stats;
      return { script_ms, draw_ms, fps, frames };
    },
    position: (vertex) => world.position(vertex)?.toArray() ?? null,
    project: (what) => {
      const point = typeof what === 'number' ? world.position(what) : new THREE.Vector3(...what);
      if (point === null) return null;
      const at = stage.project(point);
      if (at.depth >= 1) return null;
      const { left, top } = corner();
      return [left + at.x, top + at.y];
    },
    pick: (x, y) => {
      const { left, top } = corner();
      return world.pick(x - left, y - top)?.vertex ?? null;
    },
    command: (name, keys = {}) => client.request(name, keys),
  };
}
