/** The engine's messages about itself: who it is, what it does, and its replies. */
import { isObject, type JsonObject, type NumberArray } from './packet';
import { MessageError, number, object, objects, text } from './values';

export interface Named {
  name: string;
  text: string;
}
export interface GalleryScene {
  name: string;
  title: string;
  picture: string;
}
export interface ColourChoice extends Named {
  unit: string;
}
export interface Hello {
  version: string;
  engine: string;
  threads: number;
  simd: string;
  materials: Named[];
  solvers: Named[];
  integrators: Named[];
  exports: Named[];
  scenes: GalleryScene[];
  colours: ColourChoice[];
  maxMessageBytes: number;
}
export interface Status {
  playing: boolean;
  speed: number;
  busy: string | null;
  recording: number | null;
  race: boolean;
  /** Whether the current work can be cancelled. */
  cancel: boolean;
  /** The quantity by which bodies are coloured, on all pages. */
  colour: string;
}
export interface Note {
  level: string;
  text: string;
}
export interface EngineError {
  kind: string;
  where: string;
  message: string;
}
export interface Reply {
  re: number;
  ok: boolean;
  error: EngineError | null;
  header: JsonObject;
  arrays: Map<string, NumberArray>;
}

const named = (value: unknown): Named[] =>
  Array.isArray(value)
    ? value
        .map((v) =>
          typeof v === 'string'
            ? { name: v, text: '' }
            : { name: text(object(v)['name']), text: text(object(v)['text']) },
        )
        .filter((v) => v.name !== '')
    : [];

export function readHello(m: JsonObject): Hello {
  if (m['protocol'] !== 1) {
    throw new MessageError(`the engine speaks protocol ${String(m['protocol'])}, this page 1`);
  }
  const lists = object(m['lists']);
  return {
    version: text(m['version']),
    engine: text(m['engine'], 'native'),
    threads: number(m['threads'], 1),
    simd: text(m['simd']),
    materials: named(lists['materials']),
    solvers: named(lists['solvers']),
    integrators: named(lists['integrators']),
    exports: named(lists['exports']),
    scenes: objects(lists['scenes']).map((s) => ({
      name: text(s['name']),
      title: text(s['title'], text(s['name'])),
      picture: text(s['picture']),
    })),
    colours: objects(lists['colours']).map((c) => ({
      name: text(c['name']),
      unit: text(c['unit']),
      text: text(c['text']),
    })),
    maxMessageBytes: number(object(m['limits'])['max_message_bytes'], 64 << 20),
  };
}

export function readStatus(m: JsonObject): Status {
  return {
    playing: m['playing'] === true,
    speed: number(m['speed'], 1),
    busy: typeof m['busy'] === 'string' ? m['busy'] : null,
    recording: typeof m['recording'] === 'number' ? m['recording'] : null,
    race: m['race'] === true,
    cancel: m['cancel'] === true,
    colour: text(m['colour'], 'none'),
  };
}

export const readNote = (m: JsonObject): Note => ({
  level: text(m['level'], 'info'),
  text: text(m['text']),
});

export function readReply(header: JsonObject, arrays: Map<string, NumberArray>): Reply {
  const error = header['error'];
  return {
    re: number(header['re'], -1),
    ok: header['ok'] === true,
    error: isObject(error)
      ? { kind: text(error['kind']), where: text(error['where']), message: text(error['message']) }
      : null,
    header,
    arrays,
  };
}
