import type { Readable } from 'node:stream';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { HttpPort, NodePorts, OpenCredential, OpenFile, SocketsPort } from '#src/automation/node-api/ports.ts';

export interface RemoteFile {
  name: string;
  path: string;
  /** Bytes. */
  size: number;
  /** Null if the server does not tell. */
  modified_at: string | null;
}

/** The content to write: a file of a step, or text. */
export type NewContent = Pick<OpenFile, 'size' | 'sha256' | 'stream' | 'type'>;

export interface Listing {
  /** Empty for the directory of the login, or the whole bucket. */
  directory: string;
  /** Only files whose names begin with it. */
  prefix: string;
  /** Only files whose names are greater. */
  after: string;
  limit: number;
}

/** The files of one server or bucket. Each operation fails with a NodeError. */
export interface RemoteFiles {
  /** The files directly in a directory, by name. */
  list(listing: Listing): Promise<{ files: RemoteFile[]; complete: boolean }>;
  open(path: string): Promise<RemoteFile & { type?: string | undefined; content: Readable }>;
  /**
   * Writes a file. An existing file is replaced only when the new one is complete. `mark` is part of the name under which it is written
   * until then, so that two steps that write one file at the same time do not mix their bytes.
   */
  put(path: string, content: NewContent, mark: string): Promise<void>;
  /** Renames a file, replacing an existing one. */
  move(from: string, to: string): Promise<void>;
  /** Deletes a file. Also succeeds if there is no such file. */
  remove(path: string): Promise<void>;
}

export interface Connecting {
  credential: OpenCredential;
  http: HttpPort;
  sockets: SocketsPort;
  signal: AbortSignal;
}

type Protocol = <T>(connecting: Connecting, work: (files: RemoteFiles) => Promise<T>) => Promise<T>;

/** Loaded with the first use, because most workers need none. */
const protocols: Readonly<Record<string, () => Promise<Protocol>>> = {
  'core:sftp': async () => (await import('./sftp-files.ts')).withSftpFiles,
  'core:ftp': async () => (await import('./ftp-files.ts')).withFtpFiles,
  'core:s3': async () => (await import('./s3-files.ts')).withS3Files,
};

/** The ports of nodes for remote files. */
export const remotePorts = ['credentials', 'http', 'sockets'] as const;

/** Connects to the server of a credential, runs `work` and disconnects. */
export async function withRemoteFiles<T>(
  { ports, signal }: { ports: Pick<NodePorts, (typeof remotePorts)[number]>; signal: AbortSignal },
  id: string | number,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const credential = await ports.credentials.open(String(id));
  const load = Object.hasOwn(protocols, credential.type) ? protocols[credential.type] : undefined;
  if (!load)
    throw new NodeError('CREDENTIAL_UNUSABLE', `Files cannot be reached with a credential of type ${credential.type}.`);
  const withFiles = await load();
  return withFiles({ credential, http: ports.http, sockets: ports.sockets, signal }, work);
}
