/** A scene as the engine read it: every setting, its range, and what was changed. */
import { isObject, type Json, type JsonObject } from './packet';
import { bound, MessageError, object, objects, text, texts } from './values';

export type FieldType =
  | 'number'
  | 'integer'
  | 'boolean'
  | 'text'
  | 'choice'
  | 'vector'
  | 'pair'
  | 'box'
  | 'integers'
  | 'pairs'
  | 'texts';
export interface Field {
  pointer: string;
  type: FieldType;
  low: number | null;
  high: number | null;
  lowIncluded: boolean;
  highIncluded: boolean;
  unit: string;
  choices: string[];
  what: string;
  default: Json;
}
export interface SceneMessage {
  source: string;
  title: string;
  settings: JsonObject;
  fields: Field[];
  changed: JsonObject;
  undo: boolean;
  redo: boolean;
}

function readField(f: JsonObject): Field {
  return {
    pointer: text(f['pointer']),
    type: text(f['type'], 'text') as FieldType,
    low: bound(f['low']),
    high: bound(f['high']),
    lowIncluded: f['low_included'] !== false,
    highIncluded: f['high_included'] !== false,
    unit: text(f['unit']),
    choices: texts(f['choices']),
    what: text(f['what']),
    default: f['default'] ?? null,
  };
}

export function readScene(m: JsonObject): SceneMessage {
  if (!isObject(m['settings'])) throw new MessageError('a scene without settings');
  return {
    source: text(m['source']),
    title: text(m['title']),
    settings: m['settings'],
    fields: objects(m['fields'])
      .map(readField)
      .filter((f) => f.pointer.startsWith('/')),
    changed: object(m['changed']),
    undo: m['undo'] === true,
    redo: m['redo'] === true,
  };
}
