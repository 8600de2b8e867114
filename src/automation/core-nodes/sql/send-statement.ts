import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import { formatHostPort } from '#src/infra/egress/target.ts';
import { toFailure } from './failures.ts';
import { readServer, type RunStatement, type SqlCall } from './server.ts';

interface Dialect {
  usualPort: number;
  run: RunStatement;
}

/** By the type of the credential. The drivers are loaded with the first statement, because most processes need none. */
const dialects: Readonly<Record<string, Dialect>> = {
  'core:postgres': {
    usualPort: 5432,
    run: async (session) => (await import('./postgres.ts')).runPostgres(session),
  },
  'core:mysql': {
    usualPort: 3306,
    run: async (session) => (await import('./mysql.ts')).runMysql(session),
  },
};

/** How many milliseconds this process waits longer than the server. */
const graceMs = 2_000;
/** The most bytes that are read of an answer without a place for them: of a whole answer, or of one row that goes into a file. */
const maxReceivedBytes = 64 * 1024 * 1024;
const checkMs = 50;

/** Sends one statement to the database of a credential, over a connection of its own. Throws NodeError. */
export async function sendStatement(
  id: string,
  ctx: { ports: Pick<NodePorts, 'credentials' | 'sockets'>; signal: AbortSignal },
  given: SqlCall & { isStreamed?: boolean },
): Promise<number | null> {
  const credential = await ctx.ports.credentials.open(id);
  const dialect = dialects[credential.type];
  if (!dialect) throw new NodeError('CREDENTIAL_UNUSABLE', `${credential.type} is no type of a database.`);
  const server = await readServer(credential, dialect.usualPort);
  const where = formatHostPort(server.host, server.port);
  const { host, port } = server;
  let wasCommitting = false;
  try {
    ctx.signal.throwIfAborted();
    const socket = await ctx.ports.sockets.open({ host, port, usualPort: dialect.usualPort });
    const watch = watchSocket(socket, given, ctx.signal);
    const { isStreamed = false, ...call } = given;
    if (isStreamed) {
      call.addRow = (row, stream) => {
        watch.countFromHere();
        return given.addRow(row, stream);
      };
    }
    try {
      return await dialect.run({ server, socket, call, onCommit: () => (wasCommitting = true) });
    } catch (error) {
      throw watch.reason() ?? error;
    } finally {
      watch.stop();
      socket.destroy();
    }
  } catch (error) {
    throw toFailure(error, { statement: given.statement, where, wasCommitting });
  }
}

/** Closes the connection when the time is over, when the answer is too large, and when the run is stopped. */
function watchSocket(
  socket: { bytesRead: number; destroy(error?: Error): unknown },
  { timeoutMs }: SqlCall,
  signal: AbortSignal,
) {
  let reason: NodeError | undefined;
  const end = (error: NodeError): void => {
    reason ??= error;
    socket.destroy(error);
  };
  const tooLong = () =>
    end(new NodeError('SQL_TIMEOUT', `The statement did not end within ${timeoutMs} ms.`, { retryable: true }));
  const onAbort = () => end(new NodeError('SQL_STOPPED', 'The step was stopped, and with it the statement.'));
  let passed = 0;
  const clock = setTimeout(tooLong, timeoutMs + graceMs);
  const scale = setInterval(() => {
    if (socket.bytesRead - passed > maxReceivedBytes)
      end(new NodeError('SQL_TOO_LARGE', 'The server sent more than 64 MiB. Ask for less.'));
  }, checkMs);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    reason: () => reason,
    /** Leaves what has arrived out of the limit. */
    countFromHere(): void {
      passed = socket.bytesRead;
    },
    stop(): void {
      clearTimeout(clock);
      clearInterval(scale);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
