import type { Engine, EngineState } from './engine';

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 8000;

/** Time to wait before the n-th attempt: doubles up to a maximum. */
export function backoff(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}

/** The address of the session for a page at this address, with the page's token if it has one. */
export function sessionAddress(page: URL): string {
  const address = new URL('./session', page);
  address.protocol = page.protocol === 'https:' ? 'wss:' : 'ws:';
  const token = page.searchParams.get('token');
  address.search = token === null ? '' : `?token=${encodeURIComponent(token)}`;
  address.hash = '';
  return address.href;
}

/** The native program, connected by a WebSocket of the page's own origin. */
export class WebSocketEngine implements Engine {
  readonly name = 'native';
  onText: (text: string) => void = () => undefined;
  onPacket: (buffer: ArrayBuffer) => void = () => undefined;
  onState: (state: EngineState) => void = () => undefined;

  private socket: WebSocket | null = null;
  private attempt = 0;
  private wasOpen = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly address: string) {}

  start(): void {
    this.onState({
      kind: this.wasOpen ? 'lost' : 'connecting',
      text: this.wasOpen ? 'The connection was lost. Connecting again…' : 'Connecting…',
    });
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.attempt = 0;
      this.wasOpen = true;
      this.onState({ kind: 'open', text: 'Connected' });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === 'string') this.onText(event.data);
      else this.onPacket(event.data);
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      const wait = backoff(this.attempt++);
      const why = event.reason === '' ? '' : ` (${event.reason})`;
      this.onState({
        kind: this.wasOpen ? 'lost' : 'connecting',
        text: `No connection to supple${why}. Trying again in ${Math.ceil(wait / 1000)} s…`,
      });
      this.timer = setTimeout(() => this.start(), wait);
    };
  }

  sendText(text: string): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  sendPacket(buffer: ArrayBuffer): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(buffer);
  }

  // The server itself drops frames for a slow client, by what its socket still holds.
  frameDone(): void {}

  stop(): void {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }
}
