/**
 * The worker in which the WebAssembly engine runs. It imports supple.js, opens a session through
 * the C interface (include/supple/supple_c.h), and advances the session whenever that asks for it.
 */
import type { FromWorker, ToWorker } from './worker_messages';

/** The part of an emscripten module that is used here. */
interface SuppleModule {
  HEAPU8: Uint8Array;
  HEAPU32: Uint32Array;
  HEAPF64: Float64Array;
  _malloc(bytes: number): number;
  _free(at: number): void;
  ccall(name: string, returns: string | null, types: string[], values: unknown[]): number;
  UTF8ToString(at: number): string;
}

const CLIENT = 1;
/** Words of a SuppleMessage, with pointers of 4 bytes: bytes, size, to_all, to, is_packet, is_frame. */
const [BYTES, SIZE, IS_PACKET, IS_FRAME, WORDS] = [0, 1, 4, 5, 6];

const scope = self as unknown as {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};
const post = (message: FromWorker, transfer: Transferable[] = []): void =>
  scope.postMessage(message, transfer);

function lastError(module: SuppleModule): string {
  return module.UTF8ToString(module.ccall('supple_last_error_message', 'number', [], []));
}

class SessionRunner {
  private waitingFrame: ArrayBuffer | null = null;
  /**
   * True while a frame is with the page, not yet acknowledged. Meanwhile the newest one waits here.
   */
  private onTheWay = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Memory for results: a message or a number. */
  private readonly results: number;

  constructor(
    private readonly module: SuppleModule,
    private readonly session: number,
  ) {
    this.results = module._malloc(4 * WORDS);
    module.ccall('supple_session_connect', 'number', ['number', 'number'], [session, CLIENT]);
    this.flush();
    this.schedule(0);
  }

  private receive(name: string, bytes: Uint8Array): void {
    const at = this.module._malloc(Math.max(1, bytes.length));
    this.module.HEAPU8.set(bytes, at);
    const types = ['number', 'number', 'number', 'number'];
    this.module.ccall(name, 'number', types, [this.session, CLIENT, at, bytes.length]);
    this.module._free(at);
    this.flush();
    this.schedule(0);
  }

  text(text: string): void {
    this.receive('supple_session_receive_text', new TextEncoder().encode(text));
  }

  packet(buffer: ArrayBuffer): void {
    this.receive('supple_session_receive_packet', new Uint8Array(buffer));
  }

  frameDone(): void {
    this.onTheWay = false;
    if (this.waitingFrame !== null) this.sendFrame(this.waitingFrame);
  }

  private sendFrame(buffer: ArrayBuffer): void {
    if (this.onTheWay) {
      this.waitingFrame = buffer;
      return;
    }
    this.waitingFrame = null;
    this.onTheWay = true;
    post({ is: 'packet', buffer }, [buffer]);
  }

  private schedule(seconds: number): void {
    clearTimeout(this.timer);
    // Infinity: do nothing until something is received. Messages to this worker come between
    // timers.
    if (seconds < Infinity)
      this.timer = setTimeout(() => guarded(() => this.advance()), 1000 * seconds);
  }

  private advance(): void {
    const { module, session, results } = this;
    const now = performance.now() / 1000;
    const types = ['number', 'number', 'number'];
    if (module.ccall('supple_session_advance', 'number', types, [session, now, results]) !== 0) {
      throw new Error(lastError(module));
    }
    const next = module.HEAPF64[results >> 3]!;
    this.flush();
    this.schedule(Math.max(0, next - performance.now() / 1000));
  }

  private flush(): void {
    const { module, session, results } = this;
    for (;;) {
      const types = ['number', 'number'];
      module.ccall('supple_session_next_message', 'number', types, [session, results]);
      // The memory may have grown, so its views are taken anew.
      const word = (i: number): number => module.HEAPU32[(results >> 2) + i]!;
      const start = word(BYTES);
      if (start === 0) return;
      const bytes = module.HEAPU8.slice(start, start + word(SIZE));
      if (word(IS_PACKET) === 0) post({ is: 'text', text: new TextDecoder().decode(bytes) });
      else if (word(IS_FRAME) !== 0) this.sendFrame(bytes.buffer);
      else post({ is: 'packet', buffer: bytes.buffer }, [bytes.buffer]);
    }
  }
}

async function open(folder: string, threads: boolean): Promise<SessionRunner> {
  const name = threads ? 'supple_threads.js' : 'supple.js';
  const address = new URL(name, folder).href;
  const { default: create } = (await import(/* @vite-ignore */ address)) as {
    default: (options: object) => Promise<SuppleModule>;
  };
  const module = await create({ locateFile: (name: string) => new URL(name, folder).href });
  const count = threads ? Math.max(1, navigator.hardwareConcurrency) : 1;
  const options = JSON.stringify({ engine: 'wasm', scenes: '/scenes', threads: count });
  const session = module.ccall('supple_session_create', 'number', ['string'], [options]);
  if (session === 0) {
    throw new Error(lastError(module));
  }
  post({ is: 'open' });
  return new SessionRunner(module, session);
}

let runner: SessionRunner | null = null;

function guarded(what: () => void): void {
  try {
    what();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    post({ is: 'failed', text: `The engine stopped: ${why}` });
  }
}

scope.onmessage = ({ data }) =>
  guarded(() => {
    switch (data.is) {
      case 'start':
        open(data.folder, data.threads).then(
          (r) => (runner = r),
          (error: unknown) => {
            const why = error instanceof Error ? error.message : String(error);
            post({ is: 'failed', text: `The engine could not be loaded: ${why}` });
          },
        );
        break;
      case 'text':
        runner?.text(data.text);
        break;
      case 'packet':
        runner?.packet(data.buffer);
        break;
      case 'frame_done':
        runner?.frameDone();
        break;
    }
  });
