import { posix } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type Client, type FileInfo, FTPError } from 'basic-ftp';
import type { Egress } from '#src/infra/egress/egress.ts';
import { formatHostPort } from '#src/infra/egress/target.ts';
import { closingAfter } from '#src/infra/egress/with-connection.ts';
import { connectFtp, type FtpLogin } from './connect-ftp.ts';
import { FtpError, tooMany, toFtpError } from './ftp-error.ts';

export interface FtpFile {
  name: string;
  size: number;
  /** Seconds since 1970; undefined if the server does not tell it in a form without doubt. */
  modifiedAt: number | undefined;
}

/** A connection to one server, as one user, for one operation at a time. Each fails with FtpError or EgressError. */
export interface FtpSession {
  /** The regular files of a directory. Links and directories are left out; names may be anything. */
  list(directory: string): Promise<FtpFile[]>;
  /** The regular file at a path; undefined if there is none. */
  find(path: string): Promise<FtpFile | undefined>;
  read(path: string): Readable;
  /** Writes a file, replacing an existing one; fails if the server then reports a different number of bytes. */
  write(path: string, content: Readable): Promise<void>;
  /** Renames a file, replacing an existing one. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

const maxEntries = 10_000;
/** Milliseconds for which a server may be silent by default. */
const defaultIdleMs = 30_000;

/** Connects, runs `work` and disconnects. Throws FtpError and EgressError. */
export async function withFtp<T>(
  egress: Pick<Egress, 'openSocket'>,
  login: FtpLogin,
  {
    signal,
    idleMs = defaultIdleMs,
    work,
  }: { signal: AbortSignal; idleMs?: number; work: (session: FtpSession) => Promise<T> },
): Promise<T> {
  const client = await connectFtp(egress, login, { signal, idleMs });
  const session = new ClientSession(client, formatHostPort(login.host, login.port));
  return closingAfter(
    signal,
    () => client.close(),
    () => work(session),
  );
}

class ClientSession implements FtpSession {
  readonly #client: Client;
  readonly #where: string;

  constructor(client: Client, where: string) {
    this.#client = client;
    this.#where = where;
  }

  async list(directory: string): Promise<FtpFile[]> {
    const entries = await this.#within(directory, () => this.#ask(directory, () => this.#client.list()));
    if (entries.length > maxEntries) throw tooMany(directory);
    return entries.filter(({ isFile }) => isFile).map(toFile);
  }

  async find(path: string): Promise<FtpFile | undefined> {
    const size = await this.#ask(path, () => this.#client.size(path)).catch(unless('not_found'));
    if (size === undefined) return undefined;
    const modified = await this.#ask(path, () => this.#client.lastMod(path)).catch(
      unless('not_found', 'protocol', 'permission'),
    );
    return { name: posix.basename(path), size, modifiedAt: toSeconds(modified) };
  }

  read(path: string): Readable {
    let resume: (() => void) | undefined;
    const content = new Readable({
      read() {
        resume?.();
        resume = undefined;
      },
    });
    const target = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (content.push(chunk)) done();
        else resume = done;
      },
    });
    // The client ends its target after a failure too, so that the content ends here, after the server has confirmed it.
    this.#ask(path, () => this.#client.downloadTo(target, path)).then(
      () => content.push(null),
      (error: Error) => content.destroy(error),
    );
    content.once('close', () => {
      if (!content.readableEnded) this.#client.close();
    });
    return content;
  }

  async write(path: string, content: Readable): Promise<void> {
    let bytes = 0;
    const counted = Readable.from(
      (async function* count() {
        for await (const chunk of content as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          yield chunk;
        }
      })(),
      { objectMode: false },
    );
    try {
      const upload = () => this.#client.uploadFrom(counted, posix.basename(path));
      await this.#within(posix.dirname(path), () => this.#ask(path, upload));
    } finally {
      counted.destroy();
      content.destroy();
    }
    const written = (await this.find(path))?.size;
    if (written !== bytes)
      throw new FtpError('disconnected', `${this.#where} has ${written ?? 0} of the ${bytes} bytes of ${path}.`);
  }

  async rename(from: string, to: string): Promise<void> {
    const rename = () => this.#ask(to, () => this.#client.rename(from, to));
    await rename().catch(async (error: unknown) => {
      // Some servers do not rename over an existing file, which is deleted only if there is one to take its place.
      if (this.#client.closed || !(await this.find(from)) || !(await this.find(to))) throw error;
      await this.remove(to);
      await rename();
    });
  }

  async remove(path: string): Promise<void> {
    await this.#ask(path, () => this.#client.remove(path));
  }

  /**
   * Works in a directory, so that a missing one is refused. A command that lists finds nothing in a missing one and reads patterns
   * in its path.
   */
  async #within<T>(directory: string, work: () => Promise<T>): Promise<T> {
    const home = await this.#ask(directory, () => this.#client.pwd());
    await this.#ask(directory, () => this.#client.cd(directory));
    try {
      return await work();
    } finally {
      // A connection that has ended has no directory to return to.
      await this.#client.cd(home).catch(() => undefined);
    }
  }

  async #ask<T>(path: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      // After anything but a refusal, the next answer may be that of this operation.
      if (!(error instanceof FTPError)) this.#client.close();
      throw toFtpError(error, this.#where, path);
    }
  }
}

const unless =
  (...codes: FtpError['code'][]) =>
  (error: unknown): undefined => {
    if (!(error instanceof FtpError && codes.includes(error.code))) throw error;
  };

const toFile = ({ name, size, modifiedAt }: FileInfo): FtpFile => ({ name, size, modifiedAt: toSeconds(modifiedAt) });

/** A server may send a time that is not valid. */
const toSeconds = (date: Date | undefined): number | undefined =>
  date === undefined || Number.isNaN(date.getTime()) ? undefined : date.getTime() / 1_000;
