import { describe, expect, it } from 'vitest';
import { decodePacket, encodePacket, PacketError } from '../../src/protocol/packet';

const sample = (): ArrayBuffer =>
  encodePacket({ is: 'frame', frame: 3 }, [
    ['positions', new Float32Array([1, 2, 3])],
    ['flags', new Uint8Array([7, 8, 9])],
    ['tets', new Uint32Array([4, 5])],
    ['state', new Float64Array([0.1])],
  ]);

describe('a packet', () => {
  it('comes back as it was written', () => {
    const { header, arrays } = decodePacket(sample());
    expect(header['frame']).toBe(3);
    expect([...arrays.get('positions')!]).toEqual([1, 2, 3]);
    expect([...arrays.get('flags')!]).toEqual([7, 8, 9]);
    expect([...arrays.get('tets')!]).toEqual([4, 5]);
    expect([...arrays.get('state')!]).toEqual([0.1]);
  });

  it('begins its payload at a multiple of 8', () => {
    for (let n = 0; n < 9; n++) {
      const buffer = encodePacket({ text: 'x'.repeat(n) }, [['a', new Float64Array([1])]]);
      expect((8 + new DataView(buffer).getUint32(4, true)) % 8).toBe(0);
      expect(decodePacket(buffer).arrays.get('a')![0]).toBe(1);
    }
  });

  it('carries names that are not ASCII', () => {
    const buffer = encodePacket({ name: 'Würfel – 立方体' }, []);
    expect(decodePacket(buffer).header['name']).toBe('Würfel – 立方体');
  });
});

describe('what is no packet', () => {
  it('is refused at every length that cuts it off', () => {
    const whole = sample();
    for (let size = 0; size < whole.byteLength; size++) {
      // A tail that is only padding may be missing; what is read is still right.
      try {
        const { arrays } = decodePacket(whole.slice(0, size));
        expect([...arrays.get('state')!]).toEqual([0.1]);
      } catch (error) {
        expect(error).toBeInstanceOf(PacketError);
      }
    }
  });

  it('is refused with any byte of its head changed, or read within its bounds', () => {
    const whole = new Uint8Array(sample());
    for (let i = 0; i < 120; i++) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const broken = whole.slice();
        broken[i]! ^= flip;
        try {
          for (const array of decodePacket(broken.buffer).arrays.values()) {
            expect(array.byteOffset + array.byteLength).toBeLessThanOrEqual(broken.byteLength);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(PacketError);
        }
      }
    }
  });

  it('is refused where an array lies outside, beside a multiple of 8, or is of no known type', () => {
    const make = (entry: object): ArrayBuffer => {
      const json = new TextEncoder().encode(JSON.stringify({ arrays: [entry] }).padEnd(120));
      const buffer = new ArrayBuffer(8 + json.length + 16);
      const view = new DataView(buffer);
      view.setUint32(0, 0x314c5053, true);
      view.setUint32(4, json.length, true);
      new Uint8Array(buffer).set(json, 8);
      return buffer;
    };
    const good = { name: 'a', type: 'float32', offset: 8, count: 2 };
    expect(decodePacket(make(good)).arrays.get('a')!.length).toBe(2);
    for (const bad of [
      { ...good, count: 3 },
      { ...good, count: -1 },
      { ...good, count: 1e300 },
      { ...good, count: 1.5 },
      { ...good, offset: 4 },
      { ...good, offset: 1e15 },
      { ...good, type: 'float16' },
      { ...good, type: 'toString' },
      { ...good, name: 5 },
    ]) {
      expect(() => decodePacket(make(bad)), JSON.stringify(bad)).toThrow(PacketError);
    }
  });
});
