/** What the page and the worker with the engine say to one another. */
export type ToWorker =
  | { is: 'start'; folder: string; threads: boolean }
  | { is: 'text'; text: string }
  | { is: 'packet'; buffer: ArrayBuffer }
  | { is: 'frame_done' };

export type FromWorker =
  | { is: 'open' }
  | { is: 'text'; text: string }
  | { is: 'packet'; buffer: ArrayBuffer }
  | { is: 'failed'; text: string };
