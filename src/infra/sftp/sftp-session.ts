import { constants } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileEntry, Stats } from 'ssh2';
import type { Egress } from '#src/infra/egress/egress.ts';
import { connectSftp, type SftpConnection, type SftpLogin } from './connect-sftp.ts';
import { operationError, SftpError } from './sftp-error.ts';

/** A file as the server lists it. Times are in whole seconds, as in version 3 of the protocol. */
export interface RemoteFile {
  name: string;
  size: number;
  /** Seconds since 1970. */
  modifiedAt: number;
}

/** A connection to one server, as one user. Each operation fails with an SftpError. */
export interface SftpSession {
  /** The regular files of a directory. Links, directories, and names that could lead elsewhere are left out. */
  list(directory: string): Promise<RemoteFile[]>;
  /** The regular file at a path; undefined if there is none. */
  find(path: string): Promise<RemoteFile | undefined>;
  /** The first bytes of a file, which may be growing. */
  read(path: string, bytes: number): Readable;
  /** Writes a file, replacing an existing one; fails if the server then reports a different number of bytes. */
  write(path: string, content: Readable): Promise<void>;
  /** Renames a file, replacing an existing one. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Creates a directory unless it exists. */
  makeDirectory(path: string): Promise<void>;
}

/** Limits for the entries of a directory and for the bytes of their names. */
export const maxEntries = 10_000;
const maxNameBytes = 4 * 1024 * 1024;
/** Milliseconds that an operation, or a chunk of a file, may take unless the caller sets another limit. */
const defaultIdleMs = 30_000;
/** Bytes of a file that are requested at a time; servers answer up to 256 KiB. */
const partBytes = 128 * 1024;
const endOfFile = 1;

/** Connects for as long as `work` lasts. Throws SftpError and EgressError. */
export async function withSftp<T>(
  egress: Pick<Egress, 'openSocket'>,
  login: SftpLogin,
  {
    signal,
    idleMs = defaultIdleMs,
    work,
  }: { signal: AbortSignal; idleMs?: number; work: (session: SftpSession) => Promise<T> },
): Promise<T> {
  const connection = await connectSftp(egress, login, signal);
  const { client } = connection;
  const onAbort = (): void => void client.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(sessionOf(connection, idleMs));
  } finally {
    signal.removeEventListener('abort', onAbort);
    client.end();
    // A server that hangs does not answer the end, so the socket is destroyed.
    client.destroy();
  }
}

type Done<T> = (error: Error | null | undefined, answer?: T) => void;

function sessionOf({ client, sftp, where }: SftpConnection, idleMs: number): SftpSession {
  let isOpen = true;
  client.once('close', () => {
    isOpen = false;
  });

  /** Calls `fail` when the connection has ended, or after `idleMs` without progress, and then closes the connection. */
  function watch(path: string, fail: (error: SftpError) => void): { moved: () => void; stop: () => void } {
    const onSilence = (): void => {
      fail(new SftpError('timeout', `${where} did not answer for ${idleMs} ms.`));
      client.destroy();
    };
    const onClose = (): void => fail(operationError(undefined, path, where));
    let timer = setTimeout(onSilence, idleMs);
    // A request on a closed connection is never answered, for example closing the handle of a listing that the end interrupted.
    if (isOpen) client.once('close', onClose);
    else onClose();
    const stop = (): void => {
      clearTimeout(timer);
      client.off('close', onClose);
    };
    const moved = (): void => {
      clearTimeout(timer);
      timer = setTimeout(onSilence, idleMs);
    };
    return { moved, stop };
  }

  async function ask<T>(path: string, start: (done: Done<T>) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const { stop } = watch(path, reject);
    try {
      start((error, answer) => (error ? reject(error) : resolve(answer as T)));
      return await promise;
    } catch (error) {
      throw operationError(error, path, where);
    } finally {
      stop();
    }
  }

  const statOf = (path: string): Promise<Stats> => ask<Stats>(path, (done) => sftp.lstat(path, done));

  async function find(path: string): Promise<RemoteFile | undefined> {
    const stats = await statOf(path).catch((error: unknown) => {
      if (error instanceof SftpError && error.code === 'not_found') return undefined;
      throw error;
    });
    return stats && isFile(stats) ? { name: path.slice(path.lastIndexOf('/') + 1), ...measured(stats) } : undefined;
  }

  /** Reads in parts, because the server decides how many names it sends at a time. */
  async function list(directory: string): Promise<RemoteFile[]> {
    const handle = await ask<Buffer>(directory, (done) => sftp.opendir(directory, done));
    const files: RemoteFile[] = [];
    let [entries, bytes] = [0, 0];
    try {
      for (;;) {
        const part = await ask<FileEntry[] | undefined>(directory, (done) =>
          sftp.readdir(handle, (error, found) => (isEnd(error) ? done(null, undefined) : done(error, found))),
        );
        if (!part) return files;
        for (const { filename, attrs } of part) {
          entries += 1;
          bytes += Buffer.byteLength(filename);
          if (entries > maxEntries || bytes > maxNameBytes) throw tooMany(directory);
          if (isPlainName(filename) && isFile(attrs)) files.push({ name: filename, ...measured(attrs) });
        }
      }
    } finally {
      await ask<void>(directory, (done) => sftp.close(handle, done)).catch(() => undefined);
    }
  }

  return {
    list,
    find,
    read(path, bytes) {
      if (bytes === 0) return Readable.from([]);
      const through = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          moved();
          done(null, chunk);
        },
      });
      const { moved, stop } = watch(path, (error) => through.destroy(error));
      const source = sftp.createReadStream(path, { highWaterMark: partBytes, end: bytes - 1 });
      source.on('error', (error: Error) => through.destroy(operationError(error, path, where)));
      through.once('close', () => {
        stop();
        source.destroy();
      });
      return source.pipe(through);
    },
    async write(path, content) {
      // A stream does not end by itself when its connection does.
      const lost = Promise.withResolvers<never>();
      const { moved, stop } = watch(path, lost.reject);
      let bytes = 0;
      const through = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          bytes += chunk.length;
          moved();
          done(null, chunk);
        },
      });
      try {
        const target = sftp.createWriteStream(path, { flags: 'w', mode: 0o600 });
        await Promise.race([pipeline(content, through, target), lost.promise]);
      } catch (error) {
        content.destroy();
        throw operationError(error, path, where);
      } finally {
        stop();
      }
      const written = await find(path);
      if (written?.size !== bytes)
        throw new SftpError('disconnected', `${where} has ${written?.size ?? 0} of the ${bytes} bytes of ${path}.`);
    },
    async rename(from, to) {
      const replace = ask<void>(to, (done) => sftp.ext_openssh_rename(from, to, done));
      await replace.catch(async (error: unknown) => {
        if (error instanceof SftpError && error.code !== 'protocol' && error.code !== 'disconnected') throw error;
        // Servers without OpenSSH's extension do not rename over an existing file.
        if (await find(to)) await ask<void>(to, (done) => sftp.unlink(to, done));
        await ask<void>(to, (done) => sftp.rename(from, to, done));
      });
    },
    remove: (path) => ask<void>(path, (done) => sftp.unlink(path, done)),
    async makeDirectory(path) {
      const there = await statOf(path).catch(() => undefined);
      if (!there?.isDirectory()) await ask<void>(path, (done) => sftp.mkdir(path, done));
    },
  };
}

const measured = ({ size, mtime }: Pick<Stats, 'size' | 'mtime'>) => ({ size, modifiedAt: mtime });

/** True if the mode is that of a regular file; POSIX keeps the kind of a file there. */
const isFile = ({ mode }: Pick<Stats, 'mode'>): boolean => (mode & constants.S_IFMT) === constants.S_IFREG;

const isEnd = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === endOfFile;

/** A server may send any name; such names would lead out of the directory, or break a line of the log in two. */
const isPlainName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && name.length <= 191 && !/[/\\\p{Cc}]/u.test(name);

const tooMany = (directory: string): SftpError =>
  new SftpError(
    'too_many_entries',
    `${directory} has more than ${maxEntries} entries. Move what is done out of it, or name a directory of its own.`,
  );
