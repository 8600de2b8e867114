import type { Socket } from 'node:net';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';

/** The server of a credential, and how to log in to it. */
export interface SqlServer {
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
  /** Certificate authorities in PEM, which replace Node's own. */
  ca: string | undefined;
  /** False only if the credential says that nothing is encrypted. */
  isEncrypted: boolean;
}

/** One statement, and the receiver of its rows. */
export interface SqlCall {
  statement: string;
  parameters: readonly unknown[];
  isRead: boolean;
  /** The time limit that the server applies to the statement, in milliseconds. */
  timeoutMs: number;
  addRow: AddRow;
}

/** Receives a row, and the stream that it came from, which may be paused. Returns false if no more rows are wanted. */
export type AddRow = (row: Record<string, unknown>, stream: Pick<Socket, 'pause' | 'resume'>) => boolean;

export interface SqlSession {
  server: SqlServer;
  /** An open socket, which the caller closes. */
  socket: Socket;
  call: SqlCall;
  /** Called before the transaction is committed: from then on, its outcome is known only from the answer. */
  onCommit: () => void;
}

/** Runs the statement in its own transaction. Resolves with the number of rows that it changed; null if it cannot change rows. */
export type RunStatement = (session: SqlSession) => Promise<number | null>;

/**
 * Keeps an answer that a driver cannot parse from ending the process. Drivers parse in the event handlers of the socket and throw there; the
 * error closes the connection instead.
 */
export function guardParser(stream: Socket): void {
  const emit = stream.emit.bind(stream) as (...event: unknown[]) => boolean;
  stream.emit = (...event: unknown[]): boolean => {
    try {
      return emit(...event);
    } catch (error) {
      stream.destroy(asError(error));
      return false;
    }
  };
}

export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export async function readServer(credential: OpenCredential, usualPort: number): Promise<SqlServer> {
  const read = async (name: string): Promise<string> => {
    const value = await credential.field(name);
    if (value === undefined || value === '')
      throw new NodeError('CREDENTIAL_UNUSABLE', `The credential has no value in "${name}"; fill it in.`);
    return value;
  };
  const port = Number((await credential.field('port')) ?? usualPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new NodeError('CREDENTIAL_UNUSABLE', 'The port of the credential is none; give a number from 1 to 65535.');
  return {
    host: await read('host'),
    port,
    database: await read('database'),
    username: await read('username'),
    password: await read('password'),
    ca: (await credential.field('ca')) || undefined,
    isEncrypted: (await credential.field('tls')) !== 'off',
  };
}
