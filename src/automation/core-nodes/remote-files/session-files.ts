import { posix } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { isPlainName } from '#src/infra/text/plain-name.ts';
import { baseName } from './config.ts';
import type { RemoteFile, RemoteFiles } from './remote-files.ts';

interface SessionFile {
  name: string;
  size: number;
  /** Seconds since 1970; undefined if the server does not tell. */
  modifiedAt: number | undefined;
}

/** A connection of a protocol with directories, whose errors have the code `not_found` if a file is missing. */
export interface FileSession {
  list(directory: string): Promise<SessionFile[]>;
  find(path: string): Promise<SessionFile | undefined>;
  read(path: string, bytes: number): Readable;
  write(path: string, content: Readable): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The operations of nodes over a session. Codes of their own errors begin with the protocol. */
export function filesOver(protocol: 'SFTP' | 'FTP', session: FileSession): RemoteFiles {
  const find = async (path: string): Promise<SessionFile> => {
    const found = await session.find(path);
    if (!found) throw new NodeError(`${protocol}_NOT_FOUND`, `The server has no file ${path}.`);
    return found;
  };
  return {
    async list({ directory, prefix, after, limit }) {
      const all = await session.list(directory === '' ? '.' : directory);
      const found = all
        .filter(({ name }) => isPlainName(name) && name.startsWith(prefix) && name > after)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return {
        files: found.slice(0, limit).map((file) => toRemoteFile(posix.join(directory, file.name), file)),
        complete: found.length <= limit,
      };
    },
    async open(path) {
      const found = await find(path);
      const whole = assertWhole(protocol, path, found.size);
      const source = session.read(path, found.size);
      source.on('error', (error) => whole.destroy(error));
      whole.once('close', () => source.destroy());
      return { ...toRemoteFile(path, found), content: source.pipe(whole) };
    },
    async put(path, { stream }, mark) {
      const draft = posix.join(posix.dirname(path), `.${baseName(path)}.${mark}.part`);
      try {
        await session.write(draft, await stream());
        await session.rename(draft, path);
      } catch (error) {
        await session.remove(draft).catch(() => undefined);
        throw error;
      }
    },
    async move(from, to) {
      await find(from);
      // A server that does not rename over an existing file would have it deleted first.
      if (posix.normalize(from) !== posix.normalize(to)) await session.rename(from, to);
    },
    async remove(path) {
      await session.remove(path).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'not_found')) throw error;
      });
    },
  };
}

const toRemoteFile = (path: string, { name, size, modifiedAt }: SessionFile): RemoteFile => ({
  name,
  path,
  size,
  modified_at: modifiedAt === undefined ? null : new Date(modifiedAt * 1_000).toISOString(),
});

/** Passes bytes on, and fails at the end unless there were `size` bytes: the file was then changed while it was read. */
function assertWhole(protocol: string, path: string, size: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      const error = new NodeError(`${protocol}_CHANGED`, `${path} was changed while it was read.`, { retryable: true });
      done(bytes === size ? null : error);
    },
  });
}
