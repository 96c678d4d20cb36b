import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Client, CommandError } from '../../src/engine/client';
import { FakeEngine, settle } from './fake_engine';

let engine: FakeEngine;
let client: Client;

beforeEach(() => {
  engine = new FakeEngine();
  client = new Client(engine);
  client.start();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

describe('commands', () => {
  it('get their own reply, whatever the order', async () => {
    const first = client.request('save');
    const second = client.request('undo');
    engine.say({ is: 'reply', re: 2, ok: true, answer: 'second' });
    engine.say({ is: 'reply', re: 1, ok: true, answer: 'first' });
    expect((await first).header['answer']).toBe('first');
    expect((await second).header['answer']).toBe('second');
  });

  it('that are refused say where and why', async () => {
    const reply = client.set({ '/solver/iterations': 0 });
    engine.say({
      is: 'reply',
      re: 1,
      ok: false,
      error: { kind: 'invalid_input', where: '/solver/iterations', message: 'expected 1 or more' },
    });
    await expect(reply).rejects.toMatchObject({
      where: '/solver/iterations',
      message: 'expected 1 or more',
    });
  });

  it('fail when the connection is lost, and do not wait for ever', async () => {
    const reply = client.request('save');
    engine.onState({ kind: 'lost', text: '' });
    await expect(reply).rejects.toBeInstanceOf(CommandError);
  });

  it('of a drag are one at a time, and only the newest of those that wait', async () => {
    for (let i = 0; i < 5; i++) client.sendLatest('drag 1', 'drag', { grab: 1, to: [i, 0, 0] });
    expect(engine.told.map((m) => m['to'])).toEqual([[0, 0, 0]]);
    engine.say({ is: 'reply', re: 1, ok: true });
    await settle();
    expect(engine.told.map((m) => m['to'])).toEqual([
      [0, 0, 0],
      [4, 0, 0],
    ]);
  });

  it('of a drag that wait go before any other command', async () => {
    for (let i = 0; i < 3; i++) client.sendLatest('drag 1', 'drag', { grab: 1, to: [i, 0, 0] });
    client.send('undo');
    expect(engine.told.map((m) => m['do'])).toEqual(['drag', 'drag', 'undo']);
    expect(engine.told[1]!['to']).toEqual([2, 0, 0]);
    engine.say({ is: 'reply', re: 1, ok: true });
    await settle();
    expect(engine.told.length).toBe(3);
  });
});

describe('what arrives', () => {
  it('a frame is taken with the topology that it belongs to alone', () => {
    const frames: number[] = [];
    client.on('frame', (f) => frames.push(f.positions.length));
    engine.sayFrame(1, new Float32Array(9));
    engine.sayTopology(1);
    engine.sayFrame(2, new Float32Array(9));
    engine.sayFrame(1, new Float32Array(9));
    expect(frames).toEqual([9]);
    // Each of them was acknowledged, so none delays the next one.
    expect(engine.framesDone).toBe(3);
  });

  it('is refused where it is not what it says, and the next is taken', () => {
    const frames: number[] = [];
    client.on('frame', (f) => frames.push(f.frame));
    engine.sayTopology(1);
    engine.sayFrame(1, new Float32Array(6));
    engine.sayFrame(1, new Float64Array(9));
    engine.onText('{"is":');
    engine.onText('[]');
    engine.onPacket(new ArrayBuffer(3));
    engine.say({ is: 'hello', protocol: 2 });
    engine.say({ is: 'scene' });
    engine.say({ is: 'something new' });
    expect(client.refused).toBe(7);
    engine.sayFrame(1, new Float32Array(9), { frame: 5 });
    expect(frames).toEqual([5]);
  });

  it('a topology that names vertices that do not exist is refused', () => {
    engine.sayPacket({ is: 'topology', id: 1, num_vertices: 1, bodies: [] }, [
      ['triangles', new Uint32Array([0, 0, 1])],
      ['surface', new Uint32Array([0])],
      ['rest', new Float32Array(3)],
    ]);
    expect(client.refused).toBe(1);
    expect(client.topology).toBeNull();
  });

  it('what lacks in a frame gets its neutral value', () => {
    engine.sayTopology(1);
    engine.sayFrame(1, new Float32Array(9), { report: null, grabs: 'none', pins: [5], lanes: {} });
    expect(client.frame).toMatchObject({ report: null, grabs: [], pins: [], lanes: [] });
  });

  it('forces come with their places, or the frame is refused', () => {
    engine.sayTopology(1);
    engine.sayFrame(1, new Float32Array(9));
    expect(client.frame?.forces).toBeNull();
    const say = (points: number, vectors: number, touching: number): void =>
      engine.sayPacket(
        { is: 'frame', topology: 1, frame: 2, forces: { note: 'why', scale: 5, contacts: 7 } },
        [
          ['positions', new Float32Array(9)],
          ['force_points', new Float32Array(points)],
          ['force_vectors', new Float32Array(vectors)],
          ['force_touching', new Uint32Array(touching)],
        ],
      );
    say(6, 6, 4);
    expect(client.frame?.forces).toMatchObject({
      note: 'why',
      scale: 5,
      contacts: 7,
      bodies: null,
    });
    say(3, 6, 4);
    say(6, 3, 4);
    say(6, 6, 5);
    expect(client.refused).toBe(3);
  });

  it('one listener that fails does not keep others from hearing', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    let heard = '';
    client.on('note', () => {
      throw new Error('of the listener');
    });
    client.on('note', (note) => (heard = note.text));
    engine.say({ is: 'note', level: 'info', text: 'hello' });
    expect(heard).toBe('hello');
  });
});
