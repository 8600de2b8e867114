import { z } from 'zod';
import type { ConfigFault, NodeContext } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { defineNode } from './core-node.ts';
import { toFailure } from './sql/failures.ts';
import { RowCollector } from './sql/rows.ts';
import { formatServer, readServer, type RunStatement, type SqlCall } from './sql/server.ts';

const maxLength = 65_536;

const config = z.object({
  credential: z.union([z.string(), z.number()]),
  statement: z
    .string()
    .max(maxLength, `must not be longer than ${maxLength} characters.`)
    .refine((text) => text.trim() !== '', 'is required.')
    .refine((text) => !text.includes('\0'), 'must not contain a null character.'),
  parameters: z.array(z.unknown()).max(1_000).default([]),
  mode: z.enum(['read', 'write']).default('read'),
  max_rows: z.int().min(1).max(100_000).default(1_000),
  on_limit: z.enum(['fail', 'stop']).default('fail'),
  timeout_ms: z.int().min(1).max(600_000).default(30_000),
});

interface Dialect {
  usualPort: number;
  run: RunStatement;
}

/** By the type of the credential. The drivers are loaded with the first statement, because most processes need none. */
const dialects: Readonly<Record<string, Dialect>> = {
  'core:postgres': {
    usualPort: 5432,
    run: async (session) => (await import('./sql/postgres.ts')).runPostgres(session),
  },
  'core:mysql': {
    usualPort: 3306,
    run: async (session) => (await import('./sql/mysql.ts')).runMysql(session),
  },
};

/** How many milliseconds this process waits longer than the server. */
const graceMs = 2_000;
/** The most bytes that are read of an answer; at most 3.5 MiB of them are kept. */
const maxReceivedBytes = 64 * 1024 * 1024;
const checkMs = 50;

/** Sends one statement to a database. */
export const sqlNode = defineNode({
  name: 'sql',
  config,
  effect: 'effect',
  verbatim: ['statement'],
  uses: ['credentials', 'sockets'],
  // The node limits the time itself, because it knows whether a retry is safe.
  isRepeatable: false,
  async listFaults({ statement }): Promise<ConfigFault[]> {
    if (typeof statement !== 'string' || !statement.includes('{{')) return [];
    const message =
      'A statement holds no expressions, since their values could be read as SQL. Write a placeholder ($1 for Postgres, ? for MySQL) and put the expression into "parameters".';
    return [{ member: 'statement', message }];
  },
  async execute({ credential: id, max_rows: maxRows, on_limit, mode, timeout_ms: timeoutMs, ...asked }, ctx) {
    const collected = new RowCollector({ maxRows, stops: on_limit === 'stop' });
    const affected = await send(String(id), ctx, {
      statement: asked.statement,
      parameters: asked.parameters.map(toParameter),
      isRead: mode === 'read',
      timeoutMs,
      addRow: (row) => collected.add(row),
    });
    const { rows, isTruncated } = collected;
    return { outputs: { rows, row_count: affected ?? rows.length, truncated: isTruncated } };
  },
});

/** In a list, an expression without a value becomes null. */
const toParameter = (value: unknown): unknown => value ?? null;

async function send(id: string, ctx: NodeContext<'credentials' | 'sockets'>, call: SqlCall): Promise<number | null> {
  const credential = await ctx.ports.credentials.open(id);
  const dialect = dialects[credential.type];
  if (!dialect) throw new NodeError('CREDENTIAL_UNUSABLE', `${credential.type} is no type of a database.`);
  const server = await readServer(credential, dialect.usualPort);
  const where = formatServer(server);
  const { host, port } = server;
  let wasCommitting = false;
  try {
    ctx.signal.throwIfAborted();
    const socket = await ctx.ports.sockets.open({ host, port, usualPort: dialect.usualPort });
    const watch = watchSocket(socket, call, ctx.signal);
    try {
      return await dialect.run({ server, socket, call, onCommit: () => (wasCommitting = true) });
    } catch (error) {
      throw watch.reason() ?? error;
    } finally {
      watch.stop();
      socket.destroy();
    }
  } catch (error) {
    throw toFailure(error, { statement: call.statement, where, wasCommitting });
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
  const clock = setTimeout(tooLong, timeoutMs + graceMs);
  const scale = setInterval(() => {
    if (socket.bytesRead > maxReceivedBytes)
      end(new NodeError('SQL_TOO_LARGE', 'The server sent more than 64 MiB. Ask for less.'));
  }, checkMs);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    reason: () => reason,
    stop(): void {
      clearTimeout(clock);
      clearInterval(scale);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
