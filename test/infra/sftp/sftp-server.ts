import { type FileHandle, lstat, mkdir, mkdtemp, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type Attributes, type Connection, type FileEntry, type SFTPWrapper } from 'ssh2';
import { formatFingerprint } from '#src/infra/sftp/host-keys.ts';

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/** How a server misbehaves. A test sets and clears it while the server runs. */
export interface SftpFaults {
  /** Requests of this kind are never answered. */
  silentAt?: 'READDIR' | 'READ' | 'WRITE' | undefined;
  /** The connection is cut once so many bytes of files were read or written. */
  cutAfter?: number | undefined;
  /** Each part of a directory's names; an endless one never ends. */
  names?: (() => string[] | undefined) | undefined;
  /** Called after each read of a file's part. */
  onRead?: ((path: string) => Promise<unknown>) | undefined;
}

export interface TestSftpServer {
  host: string;
  port: number;
  /** Files of the user, on disk. */
  root: string;
  /** The fingerprint of the key that it shows. */
  hostKey: string;
  /** The fingerprints of all its keys, if it has several. */
  hostKeys: readonly string[];
  faults: SftpFaults;
  /** Shows another key from now on. */
  changeHostKey: () => void;
  /** Connections that are open. */
  connections: ReadonlySet<Connection>;
  close: () => Promise<void>;
}

export const user = { username: 'shop', password: 'correct horse' };

/** The config of a credential for the server. */
export const sftpConfig = ({ host, port, hostKey }: Pick<TestSftpServer, 'host' | 'port' | 'hostKey'>) => ({
  ...user,
  host,
  port,
  host_key: hostKey,
});

type Kind = 'ed25519' | 'rsa' | 'ecdsa';

/** ssh2 writes one key of ed25519 in 250 so that nobody can read it, not even ssh2. */
export function newEd25519Key() {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}

const newHostKey = (kind: Kind) => {
  const { private: secret, public: shown } =
    kind === 'ed25519'
      ? newEd25519Key()
      : ssh2.utils.generateKeyPairSync(kind as 'rsa', { bits: kind === 'rsa' ? 2048 : 256 });
  return { secret, fingerprint: formatFingerprint(Buffer.from(shown.split(' ')[1] ?? '', 'base64')) };
};

/** A server on loopback that speaks real SSH and SFTP over the files of a directory. `publicKey` logs in as well. */
export async function startSftpServer({
  publicKey,
  kinds = ['ed25519'],
}: { publicKey?: string; kinds?: readonly Kind[] } = {}): Promise<TestSftpServer> {
  const root = await mkdtemp(join(tmpdir(), 'causeway-sftp-'));
  const faults: SftpFaults = {};
  const connections = new Set<Connection>();
  let server = listen();
  const port = await opened(server.ssh);

  function listen() {
    const keys = kinds.map(newHostKey);
    const ssh = new ssh2.Server({ hostKeys: keys.map(({ secret }) => secret) }, (connection) => {
      connections.add(connection);
      (connection as Connection & { setNoDelay: (on: boolean) => void }).setNoDelay(true);
      connection.on('close', () => connections.delete(connection)).on('error', () => undefined);
      connection.on('authentication', (context) => {
        if (context.username !== user.username) return context.reject(['password', 'publickey']);
        if (context.method === 'password' && context.password === user.password) return context.accept();
        if (context.method === 'publickey' && isKey(context, publicKey)) return context.accept();
        return context.reject(['password', 'publickey']);
      });
      connection.on('session', (accept) =>
        accept().on('sftp', (take) => {
          const closeFiles = serveFiles(take(), { root, faults, cut: () => connection.end() });
          connection.on('close', closeFiles);
        }),
      );
    });
    return { ssh, hostKeys: keys.map(({ fingerprint }) => fingerprint) };
  }

  return {
    host: '127.0.0.1',
    port,
    root,
    get hostKey() {
      return server.hostKeys[0] ?? '';
    },
    get hostKeys() {
      return server.hostKeys;
    },
    faults,
    connections,
    changeHostKey() {
      server.ssh.close();
      server = listen();
      server.ssh.listen(port, '127.0.0.1');
    },
    async close() {
      for (const connection of connections) connection.end();
      await new Promise<void>((resolve) => server.ssh.close(() => resolve()));
      await rm(root, { recursive: true, force: true });
    },
  };
}

function opened(server: ssh2.Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

function isKey(context: ssh2.PublicKeyAuthContext, publicKey: string | undefined): boolean {
  const allowed = publicKey === undefined ? undefined : ssh2.utils.parseKey(publicKey);
  if (!allowed || allowed instanceof Error) return false;
  if (!context.key.data.equals(allowed.getPublicSSH())) return false;
  return (
    context.signature === undefined ||
    allowed.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo)
  );
}

type Open = { path: string; file: FileHandle } | { path: string; entries: FileEntry[] };

/** Answers the requests of one user; every path is below the root. Answers how to close what a user left open. */
function serveFiles(
  sftp: SFTPWrapper,
  { root, faults, cut }: { root: string; faults: SftpFaults; cut: () => void },
): () => void {
  const handles = new Map<number, Open>();
  let [last, moved] = [0, 0];
  const at = (path: string): string => join(root, join('/', path));
  const findHandle = (bytes: Buffer): Open | undefined => handles.get(bytes.readUInt32BE(0));

  /** Answers with the status of what a request did. */
  const answer = (request: number, work: () => Promise<unknown>): void => {
    work().then(
      (isAnswered) => isAnswered === true || sftp.status(request, STATUS_CODE.OK),
      (error: NodeJS.ErrnoException) => sftp.status(request, toStatusCode(error)),
    );
  };
  const take = (request: number, open: Open): true => {
    handles.set((last += 1), open);
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(last);
    sftp.handle(request, handle);
    return true;
  };
  const count = (bytes: number): boolean => {
    moved += bytes;
    const isOver = faults.cutAfter !== undefined && moved > faults.cutAfter;
    if (isOver) cut();
    return isOver;
  };

  sftp.on('OPEN', (request, path, flags) => {
    const mode = flags & OPEN_MODE.WRITE ? 'w' : 'r';
    answer(request, async () => take(request, { path, file: await open(at(path), mode) }));
  });
  sftp.on('READ', (request, handle, offset, length) => {
    if (faults.silentAt === 'READ') return;
    answer(request, async () => {
      const opened = findHandle(handle);
      if (!opened || !('file' in opened)) throw new Error('no file');
      const { bytesRead, buffer } = await opened.file.read(Buffer.alloc(length), 0, length, offset);
      if (count(bytesRead)) return true;
      await faults.onRead?.(opened.path);
      if (bytesRead === 0) sftp.status(request, STATUS_CODE.EOF);
      else sftp.data(request, buffer.subarray(0, bytesRead));
      return true;
    });
  });
  sftp.on('WRITE', (request, handle, offset, data) => {
    if (faults.silentAt === 'WRITE') return;
    answer(request, async () => {
      const opened = findHandle(handle);
      if (!opened || !('file' in opened)) throw new Error('no file');
      if (count(data.length)) return true;
      await opened.file.write(data, 0, data.length, offset);
      return false;
    });
  });
  sftp.on('CLOSE', (request, handle) => {
    answer(request, async () => {
      const opened = findHandle(handle);
      handles.delete(handle.readUInt32BE(0));
      if (opened && 'file' in opened) await opened.file.close();
    });
  });
  sftp.on('OPENDIR', (request, path) => {
    answer(request, async () => {
      const names = await readdir(at(path));
      const entries = await Promise.all(names.map(async (name) => toEntry(name, await lstat(join(at(path), name)))));
      return take(request, { path, entries });
    });
  });
  sftp.on('READDIR', (request, handle) => {
    if (faults.silentAt === 'READDIR') return;
    const opened = findHandle(handle);
    const listed = opened && 'entries' in opened ? opened.entries.splice(0) : [];
    const named = faults.names?.()?.map((name) => toEntry(name, plainFile)) ?? [];
    if (listed.length + named.length === 0) sftp.status(request, STATUS_CODE.EOF);
    else sftp.name(request, [...listed, ...named]);
  });
  for (const event of ['LSTAT', 'STAT'] as const) {
    sftp.on(event, (request: number, path: string) => {
      answer(request, async () => {
        sftp.attrs(request, toAttributes(await lstat(at(path))));
        return true;
      });
    });
  }
  sftp.on('REMOVE', (request, path) => answer(request, () => unlink(at(path))));
  sftp.on('MKDIR', (request, path) => answer(request, () => mkdir(at(path))));
  sftp.on('RENAME', (request, from, to) => {
    answer(request, async () => {
      // The behaviour of version 3 of the protocol.
      if (await lstat(at(to)).catch(() => undefined)) throw new Error('it exists');
      await rename(at(from), at(to));
    });
  });
  return () => {
    for (const opened of handles.values()) if ('file' in opened) void opened.file.close();
    handles.clear();
  };
}

const toStatusCode = ({ code }: NodeJS.ErrnoException): number => {
  if (code === 'ENOENT') return STATUS_CODE.NO_SUCH_FILE;
  return code === 'EACCES' ? STATUS_CODE.PERMISSION_DENIED : STATUS_CODE.FAILURE;
};

const plainFile = { mode: 0o100644, uid: 0, gid: 0, size: 1, atimeMs: 0, mtimeMs: 0 };

const toAttributes = ({ mode, uid, gid, size, atimeMs, mtimeMs }: typeof plainFile): Attributes => ({
  mode,
  uid,
  gid,
  size,
  atime: Math.floor(atimeMs / 1_000),
  mtime: Math.floor(mtimeMs / 1_000),
});

const toEntry = (filename: string, stats: typeof plainFile): FileEntry => ({
  filename,
  longname: filename,
  attrs: toAttributes(stats),
});
