/**
 * Binary messages, the same in both directions: the bytes `SPL1`, a uint32 with the length of the
 * header, the header as JSON padded with spaces so that the payload begins at a multiple of 8, then
 * the payload. Numbers are little-endian, as on every machine that runs a browser.
 */

export type NumberArray = Float32Array | Float64Array | Uint32Array | Uint8Array;
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export interface Packet {
  header: JsonObject;
  /** Views into the message: nothing is copied. */
  arrays: Map<string, NumberArray>;
}

/** A message that does not have the promised form. */
export class PacketError extends Error {}

const MAGIC = 0x314c5053; // "SPL1"
const PREFIX = 8;

const KINDS = {
  float32: Float32Array,
  float64: Float64Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
} as const;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function readArray(entry: unknown, buffer: ArrayBuffer, start: number): [string, NumberArray] {
  if (!isObject(entry)) throw new PacketError('an entry of "arrays" is not an object');
  const { name, type, offset, count } = entry;
  if (typeof name !== 'string') throw new PacketError('an array has no name');
  if (typeof type !== 'string' || !Object.hasOwn(KINDS, type)) {
    throw new PacketError(`array ${name}: its type is none of ${Object.keys(KINDS).join(', ')}`);
  }
  const kind = KINDS[type as keyof typeof KINDS];
  if (!isCount(offset) || offset % 8 !== 0) {
    throw new PacketError(`array ${name}: its offset is not a multiple of 8`);
  }
  if (!isCount(count) || start + offset + count * kind.BYTES_PER_ELEMENT > buffer.byteLength) {
    throw new PacketError(`array ${name}: it reaches beyond the end of the message`);
  }
  return [name, new kind(buffer, start + offset, count)];
}

/** Throws PacketError. The returned arrays are views into the buffer. */
export function decodePacket(buffer: ArrayBuffer): Packet {
  if (buffer.byteLength < PREFIX) throw new PacketError('shorter than its prefix');
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MAGIC) throw new PacketError('does not begin with SPL1');
  const length = view.getUint32(4, true);
  const start = PREFIX + length;
  if (start > buffer.byteLength) throw new PacketError('the header is longer than the message');
  if (start % 8 !== 0) throw new PacketError('the header is not padded to a multiple of 8');
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, PREFIX, length)));
  } catch {
    throw new PacketError('the header is not JSON');
  }
  if (!isObject(header)) throw new PacketError('the header is not an object');
  const arrays = new Map<string, NumberArray>();
  const list = header['arrays'] ?? [];
  if (!Array.isArray(list)) throw new PacketError('"arrays" is not a list');
  for (const entry of list) {
    const [name, array] = readArray(entry, buffer, start);
    if (arrays.has(name)) throw new PacketError(`array ${name} is there twice`);
    arrays.set(name, array);
  }
  return { header, arrays };
}

function nameOf(array: NumberArray): string {
  for (const [name, kind] of Object.entries(KINDS)) if (array instanceof kind) return name;
  throw new PacketError('an array of a type that packets do not carry');
}

export function encodePacket(header: JsonObject, arrays: [string, NumberArray][]): ArrayBuffer {
  let size = 0;
  const list = arrays.map(([name, array]) => {
    const offset = size;
    size += Math.ceil(array.byteLength / 8) * 8;
    return { name, type: nameOf(array), offset, count: array.length };
  });
  const json = new TextEncoder().encode(JSON.stringify({ ...header, arrays: list }));
  const length = Math.ceil(json.length / 8) * 8;
  const buffer = new ArrayBuffer(PREFIX + length + size);
  const view = new DataView(buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, length, true);
  const bytes = new Uint8Array(buffer);
  bytes.fill(0x20, PREFIX, PREFIX + length);
  bytes.set(json, PREFIX);
  arrays.forEach(([, array], i) => {
    const raw = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    bytes.set(raw, PREFIX + length + list[i]!.offset);
  });
  return buffer;
}
