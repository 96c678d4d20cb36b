/** The session as the page sees it: commands with replies, and the engine's messages as events. */
import { Emitter } from '../emitter';
import { readFrame, type Frame } from '../protocol/frame';
import {
  readHello,
  readNote,
  readReply,
  readStatus,
  type Hello,
  type Note,
  type Reply,
  type Status,
} from '../protocol/messages';
import { readScene, type SceneMessage } from '../protocol/scene';
import { readTopology, type Topology } from '../protocol/topology';
import {
  decodePacket,
  encodePacket,
  isObject,
  type Json,
  type JsonObject,
  type NumberArray,
} from '../protocol/packet';
import type { Engine, EngineState } from './engine';

export interface ClientEvents {
  state: EngineState;
  hello: Hello;
  scene: SceneMessage;
  status: Status;
  topology: Topology;
  frame: Frame;
  note: Note;
}

/** A command that the engine refused. `where` is a JSON pointer or a file. */
export class CommandError extends Error {
  constructor(
    readonly kind: string,
    readonly where: string,
    message: string,
  ) {
    super(message);
  }
}

interface Latest {
  running: boolean;
  next: { name: string; keys: JsonObject; failed: ((e: CommandError) => void) | undefined } | null;
}

export class Client extends Emitter<ClientEvents> {
  hello: Hello | null = null;
  scene: SceneMessage | null = null;
  status: Status = readStatus({});
  topology: Topology | null = null;
  frame: Frame | null = null;
  refused = 0;

  private nextId = 1;
  private waiting = new Map<number, { done: (reply: Reply) => void; fail: (e: Error) => void }>();
  private latest = new Map<string, Latest>();

  constructor(readonly engine: Engine) {
    super();
    engine.onText = (text) => this.guarded(() => this.takeText(text));
    engine.onPacket = (buffer) => this.guarded(() => this.takePacket(buffer));
    engine.onState = (state) => {
      if (state.kind !== 'open') this.failAll('the connection was lost');
      this.emit('state', state);
    };
  }

  start(): void {
    this.engine.start();
  }

  /** Sends a command without waiting for a reply; the engine reports errors as notes. */
  send(name: string, keys: JsonObject = {}): void {
    this.flush();
    this.engine.sendText(JSON.stringify({ do: name, ...keys }));
  }

  /** Sends a command; throws CommandError if it is refused. */
  request(name: string, keys: JsonObject = {}): Promise<Reply> {
    this.flush();
    return this.post(name, keys);
  }

  private post(name: string, keys: JsonObject): Promise<Reply> {
    const id = this.nextId++;
    const reply = this.expect(id);
    this.engine.sendText(JSON.stringify({ do: name, id, ...keys }));
    return reply;
  }

  requestPacket(header: JsonObject, arrays: [string, NumberArray][]): Promise<Reply> {
    this.flush();
    const id = this.nextId++;
    const packet = encodePacket({ ...header, id }, arrays);
    const limit = this.hello?.maxMessageBytes ?? Infinity;
    if (packet.byteLength > limit) {
      const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
      const message = `${mb(packet.byteLength)} MB are more than the ${mb(limit)} MB that are taken`;
      return Promise.reject(new CommandError('limit', '', message));
    }
    const reply = this.expect(id);
    this.engine.sendPacket(packet);
    return reply;
  }

  /**
   * For commands sent during a drag: of one key, only one command is under way at a time, and of
   * those that come meanwhile only the last is sent. So a slow engine is never flooded.
   */
  sendLatest(
    key: string,
    name: string,
    keys: JsonObject,
    failed?: (e: CommandError) => void,
  ): void {
    let slot = this.latest.get(key);
    if (slot === undefined) this.latest.set(key, (slot = { running: false, next: null }));
    slot.next = { name, keys, failed };
    if (slot.running) return;
    const pump = async (s: Latest): Promise<void> => {
      s.running = true;
      while (s.next !== null) await this.postNext(s);
      s.running = false;
    };
    void pump(slot);
  }

  private async postNext(slot: Latest): Promise<void> {
    if (slot.next === null) return;
    const { name, keys, failed } = slot.next;
    slot.next = null;
    try {
      await this.post(name, keys);
    } catch (error) {
      if (error instanceof CommandError) failed?.(error);
    }
  }

  /**
   * What is left of a drag is sent before any other command, so that an undo includes the drag's
   * end.
   */
  private flush(): void {
    for (const slot of this.latest.values()) void this.postNext(slot);
  }

  set(values: { [pointer: string]: Json }, final = true): Promise<Reply> {
    return this.request('set', { values, final });
  }

  private expect(id: number): Promise<Reply> {
    return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
  }

  private failAll(why: string): void {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const { fail } of all) fail(new CommandError('connection', '', why));
  }

  private guarded(what: () => void): void {
    try {
      what();
    } catch (error) {
      // A message that cannot be read is skipped; the page continues with the next one.
      this.refused++;
      console.warn('a message was refused:', error);
    }
  }

  private takeText(text: string): void {
    const m: unknown = JSON.parse(text);
    if (!isObject(m)) throw new Error('a message that is not an object');
    switch (m['is']) {
      case 'hello':
        this.emit('hello', (this.hello = readHello(m)));
        break;
      case 'scene':
        this.emit('scene', (this.scene = readScene(m)));
        break;
      case 'status':
        this.emit('status', (this.status = readStatus(m)));
        break;
      case 'note':
        this.emit('note', readNote(m));
        break;
      case 'reply':
        this.takeReply(readReply(m, new Map()));
        break;
    }
  }

  private takePacket(buffer: ArrayBuffer): void {
    let packet;
    try {
      packet = decodePacket(buffer);
    } catch (error) {
      // It may have been a frame, and the engine waits for an acknowledgement before the next one.
      this.engine.frameDone();
      throw error;
    }
    switch (packet.header['is']) {
      case 'topology':
        this.frame = null;
        this.emit('topology', (this.topology = readTopology(packet)));
        break;
      case 'frame': {
        try {
          const frame = readFrame(packet, this.topology);
          if (frame !== null) this.emit('frame', (this.frame = frame));
        } finally {
          this.engine.frameDone();
        }
        break;
      }
      case 'reply':
        this.takeReply(readReply(packet.header, packet.arrays));
        break;
    }
  }

  private takeReply(reply: Reply): void {
    const waiting = this.waiting.get(reply.re);
    if (waiting === undefined) return;
    this.waiting.delete(reply.re);
    if (reply.ok) waiting.done(reply);
    else {
      const { kind, where, message } = reply.error ?? { kind: '', where: '', message: 'refused' };
      waiting.fail(new CommandError(kind, where, message));
    }
  }
}
