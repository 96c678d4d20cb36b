// Loads the page's engine in node, for tests and measurements.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * `folder` holds supple.js and supple.wasm. The module is for browsers: here it is given its bytes,
 * and a name that makes node take it for a module. `scratch` is a folder for that copy.
 */
export async function loadEngine(folder, scratch, name = 'supple') {
  fs.mkdirSync(scratch, { recursive: true });
  const copy = path.join(scratch, `${name}.mjs`);
  fs.copyFileSync(path.join(folder, `${name}.js`), copy);
  const { default: create } = await import(pathToFileURL(copy).href);
  const module = await create({ wasmBinary: fs.readFileSync(path.join(folder, `${name}.wasm`)) });
  return new Engine(module);
}

/** The C interface (include/supple/supple_c.h) with errors as exceptions. */
class Engine {
  constructor(module) {
    this.module = module;
    this.memory = module._malloc(256); // for structs
  }

  error() {
    const text = (name) => this.module.ccall(name, 'string', [], []);
    return new Error(`${text('supple_last_error_where')}: ${text('supple_last_error_message')}`);
  }
  check(error) {
    if (error !== 0) throw this.error();
  }
  made(handle) {
    if (handle === 0) throw this.error();
    return handle;
  }

  version() {
    return this.module.ccall('supple_version', 'string', [], []);
  }
  loadScene(file) {
    const types = ['string', 'number', 'number'];
    return this.made(this.module.ccall('supple_scene_load', 'number', types, [file, 0, 0]));
  }
  simulate(scene, threads) {
    return this.made(this.module._supple_simulation_create(scene, threads));
  }
  /** The first words of a struct that `fill` fills in; the very first is its size. */
  struct(words, fill) {
    const at = this.memory >> 2;
    this.module.HEAP32[at] = 4 * words;
    this.check(fill(this.memory));
    return this.module.HEAP32.subarray(at, at + words);
  }
  /** The report's SuppleSceneChange. */
  step(simulation) {
    const [, , change] = this.struct(3, (at) => this.module._supple_simulation_step(simulation, at));
    return { change };
  }
  change(simulation, scene, afterFrames) {
    this.check(this.module._supple_simulation_change(simulation, scene, afterFrames));
  }
  counts(simulation) {
    const [, bodies, vertices, tets, triangles, threads] = this.struct(6, (at) =>
      this.module._supple_simulation_counts(simulation, at),
    );
    return { bodies, vertices, tets, triangles, threads };
  }
  positions(simulation) {
    const size = 3 * this.counts(simulation).vertices;
    const at = this.module._malloc(8 * size);
    this.check(this.module._supple_simulation_copy_positions(simulation, at, size));
    const copy = this.module.HEAPF64.slice(at >> 3, (at >> 3) + size);
    this.module._free(at);
    return copy;
  }

  openSession(options) {
    const types = ['string'];
    const text = JSON.stringify(options);
    return this.made(this.module.ccall('supple_session_create', 'number', types, [text]));
  }
  connect(session, client) {
    this.check(this.module._supple_session_connect(session, client));
  }
  send(session, client, command) {
    const bytes = new TextEncoder().encode(JSON.stringify(command));
    const at = this.module._malloc(bytes.length);
    this.module.HEAPU8.set(bytes, at);
    this.check(this.module._supple_session_receive_text(session, client, at, bytes.length));
    this.module._free(at);
  }
  advance(session, now) {
    this.check(this.module._supple_session_advance(session, now, this.memory));
    return this.module.HEAPF64[this.memory >> 3];
  }
  /** What is queued: JSON, and of packets the header with the payload's bytes. */
  messages(session) {
    const list = [];
    for (;;) {
      this.check(this.module._supple_session_next_message(session, this.memory));
      const [start, size, , , isPacket] = this.module.HEAPU32.subarray(this.memory >> 2);
      if (start === 0) return list;
      const bytes = this.module.HEAPU8.slice(start, start + size);
      list.push(isPacket === 0 ? JSON.parse(new TextDecoder().decode(bytes)) : readPacket(bytes));
    }
  }
}

function readPacket(bytes) {
  const length = new DataView(bytes.buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  return { ...header, payload: bytes.slice(8 + length) };
}

/** A frame of positions.npy, float64 of shape (frames, vertices, 3). */
export function readFrame(file, frame) {
  const bytes = fs.readFileSync(file);
  const start = 10 + bytes.readUInt16LE(8);
  const shape = /'shape': \((\d+), (\d+), 3\)/.exec(bytes.toString('latin1', 10, start));
  const size = 3 * Number(shape[2]);
  const copy = bytes.buffer.slice(bytes.byteOffset + start + 8 * size * frame);
  return new Float64Array(copy, 0, size);
}
