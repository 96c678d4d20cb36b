/** The session compiled to WebAssembly, in a worker of its own. */
import type { Engine, EngineState } from './engine';
import type { FromWorker, ToWorker } from './worker_messages';

export class WorkerEngine implements Engine {
  readonly name = 'wasm';
  onText: (text: string) => void = () => undefined;
  onPacket: (buffer: ArrayBuffer) => void = () => undefined;
  onState: (state: EngineState) => void = () => undefined;
  private worker: Worker | null = null;

  /**
   * folder: contains supple.js and supple.wasm. threads: use the variant with threads, which
   * browsers run only on pages that are served with COOP and COEP headers.
   */
  constructor(
    private readonly folder: URL,
    private readonly threads = false,
  ) {}

  start(): void {
    this.onState({ kind: 'connecting', text: 'Loading the engine…' });
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      switch (data.is) {
        case 'open':
          this.onState({ kind: 'open', text: 'Running in this page' });
          break;
        case 'text':
          this.onText(data.text);
          break;
        case 'packet':
          this.onPacket(data.buffer);
          break;
        case 'failed':
          this.onState({ kind: 'failed', text: data.text });
          break;
      }
    };
    worker.onerror = (event) => {
      this.onState({ kind: 'failed', text: `The engine stopped: ${event.message}` });
    };
    const threads = this.threads && window.crossOriginIsolated;
    this.post({ is: 'start', folder: this.folder.href, threads });
  }

  private post(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker?.postMessage(message, transfer);
  }

  sendText(text: string): void {
    this.post({ is: 'text', text });
  }

  sendPacket(buffer: ArrayBuffer): void {
    this.post({ is: 'packet', buffer }, [buffer]);
  }

  frameDone(): void {
    this.post({ is: 'frame_done' });
  }

  stop(): void {
    this.worker?.terminate();
    this.worker = null;
  }
}
