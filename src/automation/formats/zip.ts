import { addAbortSignal, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { type FileReference, toFileName } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort, OpenFile } from '#src/automation/node-api/ports.ts';
import { type Archive, withArchive } from '#src/imports/formats/archives/archive.ts';

export interface PackedFile extends FileReference {
  /** The place in the archive: `invoices/2026/1.pdf`. */
  path: string;
}

/** The most files of one archive. */
const maxFiles = 1_000;
/** The most bytes of an archive. The size of its content is limited where the archive is opened. */
const maxBytes = 1024 * 1024 * 1024;

/** Unpacks an archive into files of the run. Throws FileFault for one that is damaged, encrypted or too large. */
export async function unzip(content: Readable, files: FilesPort, signal: AbortSignal): Promise<PackedFile[]> {
  const unpacked: PackedFile[] = [];
  for await (const file of withArchive(content, { maxBytes, use: (archive) => storeEntries(archive, files, signal) }))
    unpacked.push(file);
  return unpacked;
}

async function* storeEntries(archive: Archive, files: FilesPort, signal: AbortSignal): AsyncGenerator<PackedFile> {
  const { entries, read } = archive;
  if (entries.size > maxFiles) throw new NodeError('TOO_LARGE', `An archive has at most ${maxFiles} files.`);
  for (const path of entries.keys()) {
    const bytes = addAbortSignal(signal, Readable.from(read(path) ?? [], { objectMode: false }));
    yield { path: toPath(path), ...(await files.create({ name: path, type: typeByName(path) }, bytes)) };
  }
}

/** Packs files, one after another. */
export async function zip(
  references: readonly { file: string; path?: string | undefined }[],
  files: FilesPort,
): Promise<Readable> {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  archive.on('error', (error: Error) => output.destroy(error));
  const taken = new Set<string>();
  for (const { path, ...reference } of references) {
    const file = await files.open(reference);
    const at = unused(taken, toPath(path ?? file.name));
    archive.addReadStreamLazy(at, options, (take) => void openInto(file, take));
  }
  archive.end();
  return output;
}

/** A fixed time for all entries, so that equal files make equal archives. */
const options = { mtime: new Date(2000, 0, 1), mode: 0o100644, forceDosTimestamp: true };

function openInto(file: OpenFile, take: (error: unknown, stream: Readable) => void): Promise<void> {
  return file.stream().then(
    (stream) => take(null, stream),
    (error: unknown) => take(error, Readable.from([])),
  );
}

/** A safe path, which stays below the folder into which the archive is unpacked. */
const toPath = (path: string): string =>
  path
    .split(/[/\\]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .map((part) => toFileName(part))
    .join('/') || 'file';

/** Adds a number to a name that is taken: `label (2).pdf`. */
function unused(taken: Set<string>, path: string): string {
  const dot = path.lastIndexOf('.');
  const [stem, extension] = dot > path.lastIndexOf('/') + 1 ? [path.slice(0, dot), path.slice(dot)] : [path, ''];
  let name = path;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${stem} (${number})${extension}`;
  taken.add(name.toLowerCase());
  return name;
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  txt: 'text/plain',
  xml: 'application/xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};

/** Guesses the media type from the name, because archives do not store types. */
const typeByName = (path: string): string | undefined => types[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
