import { Transform, type TransformCallback, addAbortSignal } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import { tooLarge } from './rows.ts';
import { type AddRow, asError } from './server.ts';

export interface RowFile {
  add: AddRow;
  readonly count: number;
  readonly isTruncated: boolean;
  /** Ends and stores the file. Rejects with a NodeError above the limits of files. */
  end(): Promise<FileReference>;
  /** Discards the file of a statement that failed. */
  discard(): void;
}

const formats = {
  csv: { type: 'text/csv', open: () => stringify({ header: true, cast: { boolean: String } }) },
  ndjson: { type: 'application/x-ndjson', open: () => new JsonLines() },
};

class JsonLines extends Transform {
  constructor() {
    super({ writableObjectMode: true });
  }

  override _transform(row: unknown, _encoding: BufferEncoding, done: TransformCallback): void {
    done(null, `${JSON.stringify(row)}\n`);
  }
}

/** Writes rows into a file of the run as they arrive. The server has to wait while the file takes no more. */
export function openRowFile(
  files: FilesPort,
  {
    format,
    name,
    maxRows,
    stops,
    signal,
  }: { format: keyof typeof formats; name: string; maxRows: number; stops: boolean; signal: AbortSignal },
): RowFile {
  const { type, open } = formats[format];
  const lines = addAbortSignal(signal, open());
  lines.on('error', () => undefined);
  let fault: Error | undefined;
  let paused: Parameters<AddRow>[1] | undefined;
  const resume = (): void => {
    paused?.resume();
    paused = undefined;
  };
  lines.on('drain', resume);
  const made = files.create({ name, type }, lines);
  made.catch((error: unknown) => {
    fault = asError(error);
    // The next row is then refused with the reason.
    resume();
  });
  let count = 0;
  let isTruncated = false;
  return {
    get count() {
      return count;
    },
    get isTruncated() {
      return isTruncated;
    },
    add(row, stream) {
      if (fault) throw fault;
      if (isTruncated) return false;
      if (count === maxRows) {
        if (!stops) throw tooLarge(`${maxRows} rows`);
        isTruncated = true;
        return false;
      }
      count += 1;
      if (!lines.write(row) && !paused) {
        stream.pause();
        paused = stream;
      }
      return true;
    },
    end() {
      lines.end();
      return made;
    },
    discard() {
      lines.destroy(new NodeError('SQL_STOPPED', 'The statement failed, so there is no file.'));
    },
  };
}
