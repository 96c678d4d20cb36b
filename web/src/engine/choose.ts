/** Which engine there is: the native program that served the page, else WebAssembly beside it. */
import type { Engine } from './engine';
import { sessionAddress, WebSocketEngine } from './websocket_engine';
import { WorkerEngine } from './worker_engine';

export type EngineName = 'native' | 'wasm';

/** `supple view` says that it is native; the file that static hosts have in its place says wasm. */
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
