import { constants } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileEntry, SFTPWrapper, Stats } from 'ssh2';
import type { Egress } from '#src/infra/egress/egress.ts';
import { closingAfter } from '#src/infra/egress/with-connection.ts';
import { isPlainName } from '#src/infra/text/plain-name.ts';
import { connectSftp, type SftpConnection, type SftpLogin } from './connect-sftp.ts';
import { IdleWatch } from './idle-watch.ts';
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
/** Milliseconds that an operation, or a part of a file, may take by default. */
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
  const close = (): void => {
    client.end();
    // A server that hangs does not answer the end, so the socket is destroyed.
    client.destroy();
  };
  return closingAfter(signal, close, () => work(new SshSftpSession(connection, idleMs)));
}

type Done<T> = (error: Error | null | undefined, answer?: T) => void;

class SshSftpSession implements SftpSession {
  readonly #sftp: SFTPWrapper;
  readonly #where: string;
  readonly #watch: IdleWatch;

  constructor(connection: SftpConnection, idleMs: number) {
    this.#sftp = connection.sftp;
    this.#where = connection.where;
    this.#watch = new IdleWatch(connection, idleMs);
  }

  /** Reads in parts, because the server decides how many names it sends at a time. */
  async list(directory: string): Promise<RemoteFile[]> {
    const handle = await this.#ask<Buffer>(directory, (done) => this.#sftp.opendir(directory, done));
    const files: RemoteFile[] = [];
    let [entries, bytes] = [0, 0];
    try {
      for (let part = await this.#readPart(directory, handle); part; part = await this.#readPart(directory, handle)) {
        for (const { filename, attrs } of part) {
          entries += 1;
          bytes += Buffer.byteLength(filename);
          if (entries > maxEntries || bytes > maxNameBytes) throw tooMany(directory);
          if (isPlainName(filename) && isFile(attrs)) files.push({ name: filename, ...measured(attrs) });
        }
      }
      return files;
    } finally {
      await this.#ask<void>(directory, (done) => this.#sftp.close(handle, done)).catch(() => undefined);
    }
  }

  async find(path: string): Promise<RemoteFile | undefined> {
    const stats = await this.#stat(path).catch((error: unknown) => {
      if (error instanceof SftpError && error.code === 'not_found') return undefined;
      throw error;
    });
    return stats && isFile(stats) ? { name: path.slice(path.lastIndexOf('/') + 1), ...measured(stats) } : undefined;
  }

  read(path: string, bytes: number): Readable {
    if (bytes === 0) return Readable.from([]);
    const through = passThrough(() => watch.moved());
    const watch = this.#watch.start(path, (error) => through.destroy(error));
    const source = this.#sftp.createReadStream(path, { highWaterMark: partBytes, end: bytes - 1 });
    source.on('error', (error: Error) => through.destroy(operationError(error, path, this.#where)));
    through.once('close', () => {
      watch.stop();
      source.destroy();
    });
    return source.pipe(through);
  }

  async write(path: string, content: Readable): Promise<void> {
    let bytes = 0;
    // A stream does not end by itself when its connection does.
    const lost = Promise.withResolvers<never>();
    const watch = this.#watch.start(path, lost.reject);
    const through = passThrough((chunk) => {
      bytes += chunk.length;
      watch.moved();
    });
    try {
      const target = this.#sftp.createWriteStream(path, { flags: 'w', mode: 0o600 });
      await Promise.race([pipeline(content, through, target), lost.promise]);
    } catch (error) {
      content.destroy();
      throw operationError(error, path, this.#where);
    } finally {
      watch.stop();
    }
    const written = (await this.find(path))?.size;
    if (written !== bytes)
      throw new SftpError('disconnected', `${this.#where} has ${written ?? 0} of the ${bytes} bytes of ${path}.`);
  }

  async rename(from: string, to: string): Promise<void> {
    const replace = this.#ask<void>(to, (done) => this.#sftp.ext_openssh_rename(from, to, done));
    await replace.catch(async (error: unknown) => {
      if (error instanceof SftpError && error.code !== 'protocol' && error.code !== 'disconnected') throw error;
      // Servers without OpenSSH's extension do not rename over an existing file. It is deleted only if there is one to take its place.
      if ((await this.find(from)) && (await this.find(to))) await this.remove(to);
      await this.#ask<void>(to, (done) => this.#sftp.rename(from, to, done));
    });
  }

  remove(path: string): Promise<void> {
    return this.#ask(path, (done) => this.#sftp.unlink(path, done));
  }

  async makeDirectory(path: string): Promise<void> {
    const present = await this.#stat(path).catch(() => undefined);
    if (!present?.isDirectory()) await this.#ask<void>(path, (done) => this.#sftp.mkdir(path, done));
  }

  #stat(path: string): Promise<Stats> {
    return this.#ask<Stats>(path, (done) => this.#sftp.lstat(path, done));
  }

  /** The next entries of an open directory; undefined at its end. */
  #readPart(directory: string, handle: Buffer): Promise<FileEntry[] | undefined> {
    return this.#ask<FileEntry[] | undefined>(directory, (done) =>
      this.#sftp.readdir(handle, (error, found) => (isEnd(error) ? done(null, undefined) : done(error, found))),
    );
  }

  async #ask<T>(path: string, start: (done: Done<T>) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const watch = this.#watch.start(path, reject);
    try {
      start((error, answer) => (error ? reject(error) : resolve(answer as T)));
      return await promise;
    } catch (error) {
      throw operationError(error, path, this.#where);
    } finally {
      watch.stop();
    }
  }
}

/** Passes bytes on and reports each chunk. */
const passThrough = (onChunk: (chunk: Buffer) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onChunk(chunk);
      done(null, chunk);
    },
  });

const measured = ({ size, mtime }: Pick<Stats, 'size' | 'mtime'>) => ({ size, modifiedAt: mtime });

/** True if the mode is that of a regular file; POSIX keeps the kind of a file there. */
const isFile = ({ mode }: Pick<Stats, 'mode'>): boolean => (mode & constants.S_IFMT) === constants.S_IFREG;

const isEnd = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === endOfFile;

const tooMany = (directory: string): SftpError =>
  new SftpError(
    'too_many_entries',
    `${directory} has more than ${maxEntries} entries. Move what is done out of it, or name a directory of its own.`,
  );
