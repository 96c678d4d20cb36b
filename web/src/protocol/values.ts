/**
 * Checks that turn received values into typed ones. A message without something that its kind
 * requires is refused by throwing MessageError. Optional values get a neutral default, so that a
 * newer or older engine does not break the page.
 */
import { isObject, type JsonObject, type Packet } from './packet';

export class MessageError extends Error {}

export type Vec3 = [number, number, number];

export const text = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise;
export const number = (value: unknown, otherwise = 0): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
export const object = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
export const bound = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export function vec3(value: unknown, otherwise: Vec3 = [0, 0, 0]): Vec3 {
  if (!Array.isArray(value) || value.length !== 3) return [...otherwise];
  return [number(value[0]), number(value[1]), number(value[2])];
}

export function uint32(p: Packet, name: string): Uint32Array {
  const array = p.arrays.get(name);
  if (array === undefined) return new Uint32Array(0);
  if (!(array instanceof Uint32Array)) throw new MessageError(`${name} is not of type uint32`);
  return array;
}

export function below(array: Uint32Array, count: number, name: string): Uint32Array {
  for (let i = 0; i < array.length; i++) {
    if (array[i]! >= count) throw new MessageError(`${name} names a vertex that does not exist`);
  }
  return array;
}
