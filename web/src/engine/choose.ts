/**
 * Chooses the engine: the native program if it served the page, else WebAssembly beside the page.
 */
import type { Engine } from './engine';
import { sessionAddress, WebSocketEngine } from './websocket_engine';
import { WorkerEngine } from './worker_engine';

export type EngineName = 'native' | 'wasm';

/** `supple view` serves a file that says native; on static hosts that file says wasm. */
async function saidByHost(page: URL): Promise<EngineName> {
  try {
    const address = new URL('./engine.json', page);
    address.search = page.search;
    const answer = await fetch(address, { cache: 'no-store' });
    const said: unknown = await answer.json();
    return (said as { engine?: unknown } | null)?.engine === 'native' ? 'native' : 'wasm';
  } catch {
    return 'wasm';
  }
}

export async function chooseEngine(page: URL): Promise<Engine> {
  const asked = page.searchParams.get('engine');
  const name = asked === 'native' || asked === 'wasm' ? asked : await saidByHost(page);
  return name === 'native'
    ? new WebSocketEngine(sessionAddress(page))
    : new WorkerEngine(new URL('./engine/', page), page.searchParams.has('threads'));
}
