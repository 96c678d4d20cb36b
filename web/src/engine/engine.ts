/** What carries messages between the page and a session. */
export interface EngineState {
  /** connecting: for the first time; lost: was there and is being looked for again. */
  kind: 'connecting' | 'open' | 'lost' | 'failed';
  text: string;
}

export interface Engine {
  readonly name: 'native' | 'wasm';
  onText: (text: string) => void;
  onPacket: (buffer: ArrayBuffer) => void;
  onState: (state: EngineState) => void;
  start(): void;
  sendText(text: string): void;
  sendPacket(buffer: ArrayBuffer): void;
  /** A frame has been taken in: the next may come. */
  frameDone(): void;
  stop(): void;
}
