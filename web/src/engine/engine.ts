/** Carries messages between the page and a session. */
export interface EngineState {
  /** connecting: for the first time; lost: the connection broke and is being restored. */
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
  /** Acknowledges a frame: the next one may come. */
  frameDone(): void;
  stop(): void;
}
