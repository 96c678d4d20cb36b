/** A link with a scene of the gallery and its changes, after # in the address. */
import { isObject, type JsonObject } from '../protocol/packet';

export interface Link {
  scene: string;
  set: JsonObject;
}

export function writeLink(page: URL, link: Link): string {
  const address = new URL(page);
  // The token gives access to this program, so it must not be passed on.
  address.searchParams.delete('token');
  const set =
    Object.keys(link.set).length === 0
      ? ''
      : `&set=${encodeURIComponent(JSON.stringify(link.set))}`;
  address.hash = `scene=${encodeURIComponent(link.scene)}${set}`;
  return address.href;
}

/** Null if the address carries no scene, or something that no page has written. */
export function readLink(hash: string): Link | null {
  const keys = new URLSearchParams(hash.replace(/^#/, ''));
  const scene = keys.get('scene');
  if (scene === null || scene === '') return null;
  try {
    const set: unknown = JSON.parse(keys.get('set') ?? '{}');
    if (!isObject(set) || Object.keys(set).some((p) => !p.startsWith('/'))) return null;
    return { scene, set };
  } catch {
    return null;
  }
}
