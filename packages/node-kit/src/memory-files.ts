import { createHash, randomUUID } from 'node:crypto';
import type { FileReference, Files } from './define.ts';

/** A file that exists before the run, or that the node has made. */
export interface MemoryFile extends FileReference {
  content: Uint8Array;
}

export interface GivenFile {
  name?: string;
  type?: string;
  content: string | Uint8Array;
}

const partBytes = 256 * 1024;
const maxReadBytes = 1024 * 1024;

const toBytes = (piece: string | Uint8Array): Uint8Array => (typeof piece === 'string' ? Buffer.from(piece) : piece);

/** `ctx.files` in memory. `given` are files by the id that references name. */
export function memoryFiles(given: Record<string, GivenFile>): { files: Files; entries: Record<string, MemoryFile> } {
  const entries: Record<string, MemoryFile> = {};
  const keep = (
    id: string,
    { name = 'file', type = 'application/octet-stream', content }: GivenFile,
  ): FileReference => {
    const bytes = toBytes(content);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const reference = { file: id, name, type, size: bytes.length, sha256 };
    entries[id] = { ...reference, content: bytes };
    return reference;
  };
  for (const [id, file] of Object.entries(given)) keep(id, file);

  const find = ({ file }: Pick<FileReference, 'file'>): MemoryFile => {
    const found = entries[file];
    if (!found) throw Object.assign(new Error(`There is no file "${file}".`), { code: 'FILE_NOT_FOUND' });
    return found;
  };
  const files: Files = {
    async read(file, { offset = 0, length = partBytes } = {}) {
      if (offset < 0 || length < 1 || length > maxReadBytes)
        throw Object.assign(new Error('The part is out of range.'), { code: 'INVALID_ARGUMENT' });
      return find(file).content.slice(offset, offset + length);
    },
    async *parts(file) {
      const { content } = find(file);
      for (let offset = 0; offset < content.length; offset += partBytes)
        yield content.slice(offset, offset + partBytes);
    },
    async text(file) {
      return new TextDecoder().decode(find(file).content);
    },
    async create({ name, type }, content) {
      const pieces: Uint8Array[] = [];
      for await (const piece of typeof content === 'string' || ArrayBuffer.isView(content) ? [content] : content)
        pieces.push(toBytes(piece));
      const file = {
        content: Buffer.concat(pieces),
        ...(name !== undefined && { name }),
        ...(type !== undefined && { type }),
      };
      return keep(`file_${randomUUID()}`, file);
    },
  };
  return { files, entries };
}
