/** Messages between the page and the worker with the engine. */
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
