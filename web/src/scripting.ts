/** `window.supple`: what scripts in the browser's console and tests from outside may use. */
import * as THREE from 'three';
import type { App } from './app';
import type { Frame } from './protocol/frame';
import type { Hello, Reply, Status } from './protocol/messages';
import type { SceneMessage } from './protocol/scene';
import type { Topology } from './protocol/topology';
import type { JsonObject } from './protocol/packet';

export interface SuppleHooks {
  readonly engine: string;
  readonly connected: boolean;
  /** What the engine said of itself; null until it has. */
  readonly hello: Hello | null;
  /** The newest frame that is drawn; its positions lie in `positions`. */
  readonly frame: Frame | null;
  readonly scene: SceneMessage | null;
  readonly status: Status;
  readonly topology: Topology | null;
  /** Messages that were not what they said, and were left out. */
  readonly refused: number;
  readonly stats: { script_ms: number; draw_ms: number; fps: number; frames: number };
  /** A vertex: where it is, m; null where the frames do not carry it. */
  position(vertex: number): [number, number, number] | null;
  /** Where a vertex, or a point of the world, is drawn: pixels of the page; null behind the viewer. */
  project(what: number | [number, number, number]): [number, number] | null;
  /** The vertex under a place of the page, in pixels. */
  pick(x: number, y: number): number | null;
  /** A command of docs/viewer_protocol.md; throws what the engine refuses. */
  command(name: string, keys?: JsonObject): Promise<Reply>;
}

declare global {
  interface Window {
    supple?: SuppleHooks;
  }
}

export function exposeHooks(app: App): void {
  const { client, world, stage } = app;
  const corner = () => stage.renderer.domElement.getBoundingClientRect();
  window.supple = {
    engine: client.engine.name,
    get connected() {
      return app.connected;
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
