import { PassThrough, addAbortSignal, type Readable } from 'node:stream';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';

/** The largest part of a file that one call carries, in bytes. */
export const maxPartBytes = 1024 * 1024;
/** Streams that one execution may have open at a time, for each direction. */
const maxOpen = 8;

/** The parent's side of `ctx.files`, for one execution. Parts are base64. */
export interface FileCalls {
  /** Reads up to `length` bytes from `offset`. `part` is shorter only at the end of the file, where it may be empty. */
  read(file: string, offset: number, length: number, signal: AbortSignal): Promise<{ part: string }>;
  /** Begins a file. `writer` identifies it in this execution. */
  create(
    file: { name?: string | undefined; type?: string | undefined },
    signal: AbortSignal,
  ): Promise<{ writer: string }>;
  /** Resolves when the file takes more. */
  write(writer: string, part: string): Promise<void>;
  /** Ends a file and stores it. */
  end(writer: string): Promise<FileReference>;
  /** Gives up a file that has not ended, so that another can be written. */
  drop(writer: string): void;
}

interface Reading {
  stream: Readable;
  parts: AsyncIterator<Buffer>;
  /** The offset of the next byte. */
  offset: number;
  /** Bytes that were read from the stream beyond the last part. */
  rest: Buffer;
}

interface Writing {
  content: PassThrough;
  made: Promise<FileReference>;
}

/**
 * Streams are kept between calls, so that reading a file from its beginning to its end opens it once. Their memory is one part each, and all of
 * them end with the execution, whose signal every call gets.
 */
export function createFileCalls(files: FilesPort): FileCalls {
  const readings = new Map<string, Reading>();
  const writings = new Map<string, Writing>();
  let writers = 0;

  const open = async (file: string, signal: AbortSignal): Promise<Reading> => {
    const stream = addAbortSignal(signal, await (await files.open({ file })).stream());
    // A stream that waits between two calls may fail there; the next call reports that.
    stream.on('error', () => undefined);
    return { stream, parts: stream[Symbol.asyncIterator](), offset: 0, rest: Buffer.alloc(0) };
  };

  const find = (writer: string): Writing => {
    const writing = writings.get(writer);
    if (!writing) throw new NodeError('INVALID_ARGUMENT', 'This file has ended already, or was never begun.');
    return writing;
  };

  return {
    async read(file, offset, length, signal) {
      const kept = readings.get(file);
      readings.delete(file);
      if (kept && kept.offset !== offset) kept.stream.destroy();
      const reading = kept?.offset === offset ? kept : await open(file, signal);
      await pass(reading, offset - reading.offset);
      const pieces: Buffer[] = [];
      for await (const piece of advance(reading, length)) pieces.push(piece);
      const part = Buffer.concat(pieces);
      if (part.length < length) reading.stream.destroy();
      else keep(readings, file, reading);
      return { part: part.toString('base64') };
    },
    async create(file, signal) {
      if (writings.size >= maxOpen)
        throw new NodeError(
          'TOO_MANY_FILES',
          `A node can write ${maxOpen} files at a time: end one before it begins another.`,
        );
      const content = addAbortSignal(signal, new PassThrough());
      content.on('error', () => undefined);
      const made = files.create(file, content);
      made.catch(() => content.destroy());
      writers += 1;
      const writer = String(writers);
      writings.set(writer, { content, made });
      return { writer };
    },
    async write(writer, part) {
      const { content, made } = find(writer);
      const { promise: drained, resolve } = Promise.withResolvers<void>();
      if (content.write(Buffer.from(part, 'base64'))) return;
      content.once('drain', resolve).once('close', resolve);
      // Rejects if the file is refused, for example because it is too large.
      await Promise.race([drained, made]);
    },
    async end(writer) {
      const { content, made } = find(writer);
      writings.delete(writer);
      content.end();
      return made;
    },
    drop(writer) {
      writings.get(writer)?.content.destroy();
      writings.delete(writer);
    },
  };
}

/** Keeps a stream for the next call. If there are too many, the one that was used longest ago is closed. */
function keep(readings: Map<string, Reading>, file: string, reading: Reading): void {
  readings.get(file)?.stream.destroy();
  readings.set(file, reading);
  const [oldest] = readings;
  if (readings.size <= maxOpen || !oldest) return;
  readings.delete(oldest[0]);
  oldest[1].stream.destroy();
}

/** Passes over bytes, which happens only if a node does not read in order. */
async function pass(reading: Reading, length: number): Promise<void> {
  const pieces = advance(reading, length);
  while ((await pieces.next()).done !== true);
}

/** Gives the next bytes of a file, fewer than `length` only at its end. */
async function* advance(reading: Reading, length: number): AsyncGenerator<Buffer> {
  let missing = length;
  while (missing > 0) {
    if (reading.rest.length === 0) {
      const next = await reading.parts.next();
      if (next.done === true) return;
      reading.rest = next.value;
    }
    const bytes = reading.rest.subarray(0, missing);
    reading.rest = reading.rest.subarray(bytes.length);
    reading.offset += bytes.length;
    missing -= bytes.length;
    yield bytes;
  }
}
