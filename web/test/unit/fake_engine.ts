/** An engine that sends what a test tells it to, and records what it received. */
import type { Engine, EngineState } from '../../src/engine/engine';
import { encodePacket, type JsonObject, type NumberArray } from '../../src/protocol/packet';

export class FakeEngine implements Engine {
  readonly name = 'native';
  onText: (text: string) => void = () => undefined;
  onPacket: (buffer: ArrayBuffer) => void = () => undefined;
  onState: (state: EngineState) => void = () => undefined;
  readonly told: JsonObject[] = [];
  framesDone = 0;

  start(): void {
    this.onState({ kind: 'open', text: '' });
  }
  sendText(text: string): void {
    this.told.push(JSON.parse(text) as JsonObject);
  }
  sendPacket(): void {}
  frameDone(): void {
    this.framesDone++;
  }
  stop(): void {}

  say(message: JsonObject): void {
    this.onText(JSON.stringify(message));
  }
  sayPacket(header: JsonObject, arrays: [string, NumberArray][]): void {
    this.onPacket(encodePacket(header, arrays));
  }

  /** One triangle and one tet on four vertices: vertex 1 is inside. */
  sayTopology(id = 1): void {
    this.sayPacket({ is: 'topology', id, num_vertices: 4, bodies: [] }, [
      ['triangles', new Uint32Array([0, 2, 3])],
      ['tets', new Uint32Array([0, 1, 2, 3])],
      ['segments', new Uint32Array(0)],
      ['surface', new Uint32Array([0, 2, 3])],
      ['rest', new Float32Array(12)],
    ]);
  }
  sayFrame(topology: number, positions: NumberArray, more: JsonObject = {}): void {
    const header = { is: 'frame', topology, frame: 1, time: 0.1, vertices: 'surface', ...more };
    this.sayPacket(header, [['positions', positions]]);
  }
}

/** Lets code that waits for replies continue. */
export const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 0));
