/** Files in and out: opened scenes and meshes, states, exports. */
import { zipSync } from 'fflate';
import type { Client } from '../engine/client';
import type { Reply } from '../protocol/messages';
import { isObject, encodePacket, type NumberArray } from '../protocol/packet';
import { decodePacket } from '../protocol/packet';
import { download } from '../ui/dom';

export interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

/** The files of a packet: their names are in the header, their bytes in file_0, file_1, ... */
export function filesOf(reply: Pick<Reply, 'header' | 'arrays'>): NamedFile[] {
  const list = reply.header['files'];
  if (!Array.isArray(list)) return [];
  return list
    .map((entry, i) => ({
      name: isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : `file_${i}`,
      bytes: reply.arrays.get(`file_${i}`),
    }))
    .filter((f): f is NamedFile => f.bytes instanceof Uint8Array);
}

/** The name of a file without the folders that a browser or an engine can put before it. */
export const plainName = (name: string): string => name.split(/[\\/]/).at(-1) ?? name;

export class Keeper {
  constructor(
    private readonly client: Client,
    private readonly fail: (error: unknown) => void,
    private readonly say: (text: string) => void,
  ) {}

  /** Opens a scene with its meshes, a single mesh, or a saved state. */
  async openFiles(files: File[]): Promise<void> {
    if (files.length === 0) return;
    try {
      const state = files.find((f) => f.name.endsWith('.supple'));
      if (state !== undefined) return await this.loadState(state);
      const arrays: [string, NumberArray][] = [];
      for (const [i, file] of files.entries()) {
        arrays.push([`file_${i}`, new Uint8Array(await file.arrayBuffer())]);
      }
      const names = files.map((f) => ({ name: plainName(f.name) }));
      await this.client.requestPacket({ do: 'open', files: names }, arrays);
    } catch (error) {
      this.fail(error);
    }
  }

  async saveState(): Promise<void> {
    try {
      const { header, arrays } = await this.client.request('save');
      const { re: _re, ok: _ok, is: _is, arrays: _list, ...kept } = header;
      const name = (this.client.scene?.title ?? 'state').replaceAll(/[^\w-]+/g, '_');
      download(`${name}.supple`, encodePacket(kept, [...arrays]));
    } catch (error) {
      this.fail(error);
    }
  }

  async loadState(file: File): Promise<void> {
    try {
      const { header, arrays } = decodePacket(await file.arrayBuffer());
      const { arrays: _list, ...kept } = header;
      await this.client.requestPacket({ ...kept, do: 'load' }, [...arrays]);
      this.say(`${file.name} goes on`);
    } catch (error) {
      this.fail(error);
    }
  }

  async exportAs(format: string): Promise<void> {
    try {
      const files = filesOf(await this.client.request('export', { format }));
      if (files.length === 0) throw new Error('nothing has been recorded');
      if (files.length === 1) {
        download(plainName(files[0]!.name), files[0]!.bytes as Uint8Array<ArrayBuffer>);
        return;
      }
      const entries: { [name: string]: Uint8Array } = {};
      for (const file of files) entries[file.name] = file.bytes;
      // Stored, not compressed: compressing meshes of many frames would block the page for seconds.
      const zip = zipSync(entries, { level: 0 });
      download(`${format}.zip`, zip as Uint8Array<ArrayBuffer>, 'application/zip');
    } catch (error) {
      this.fail(error);
    }
  }
}
