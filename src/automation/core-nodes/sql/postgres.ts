import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { QueryArrayConfig, QueryArrayResult, Query } from 'pg';
import { readPostgresValue } from './postgres-values.ts';
import { assertDistinct } from './rows.ts';
import { asError, guardParser, type RunStatement, type SqlCall } from './server.ts';

/**
 * Makes the texts of values independent of the server's settings. The last statement reads something, because a transaction that has read
 * cannot be made writable again, not even by a block of PL/pgSQL.
 */
const begin = ({ isRead, timeoutMs }: SqlCall): string =>
  [
    `BEGIN ${isRead ? 'READ ONLY' : 'READ WRITE'}`,
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    `SET LOCAL TimeZone = 'UTC'`,
    `SET LOCAL DateStyle = 'ISO, YMD'`,
    `SET LOCAL IntervalStyle = 'iso_8601'`,
    `SET LOCAL bytea_output = 'hex'`,
    `SET LOCAL extra_float_digits = 1`,
    'SELECT 1',
  ].join('; ');

export const runPostgres: RunStatement = async ({ server, socket, call, onCommit }) => {
  const { default: pg } = await import('pg');
  const { host, port, database, username: user, password, ca } = server;
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    password,
    ssl: server.isEncrypted ? { rejectUnauthorized: true, ...(ca !== undefined && { ca }) } : false,
    stream: () => asConnecting(socket),
    types: { getTypeParser: (type: number) => (text: string) => readPostgresValue(type, text) },
    application_name: 'causeway',
  });
  // An error outside of a query would otherwise end the process.
  client.on('error', () => undefined);
  guardParser(socket);
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } };
  connection.once('sslconnect', () => guardParser(connection.stream));
  await client.connect();
  await client.query(begin(call));
  const affected = await query(client, new pg.Query(extended(call)), call, connection);
  if (!call.isRead && affected !== 'stopped') {
    onCommit();
    await client.query('COMMIT');
  }
  await client.end().catch(() => undefined);
  return affected === 'stopped' || call.isRead ? null : affected;
};

/** The extended protocol takes a single statement, and its parameters separately. */
const extended = ({ statement: text, parameters }: SqlCall) =>
  ({ text, values: [...parameters], rowMode: 'array', queryMode: 'extended' }) as QueryArrayConfig;

function query(
  client: { query(query: Query): unknown },
  asked: Query,
  { isRead, addRow }: SqlCall,
  connection: { stream: Socket },
): Promise<number | null | 'stopped'> {
  return new Promise((resolve, reject) => {
    let names: string[] | undefined;
    asked.on('row', (row: unknown, result?: unknown) => {
      try {
        const { fields } = result as QueryArrayResult;
        if (!names) assertDistinct((names = fields.map(({ name }) => name)));
        const values = Object.fromEntries(names.map((name, index) => [name, (row as unknown[])[index]]));
        const wantsMore = addRow(values, connection.stream);
        // The rows of a writing statement are read to the end, because it must complete its work.
        if (!wantsMore && isRead) resolve('stopped');
      } catch (error) {
        reject(asError(error));
      }
    });
    asked.on('end', (result?: unknown) => {
      const { fields, rowCount } = result as QueryArrayResult;
      try {
        // A result without rows is refused like one with rows, so that the first test of a statement finds the fault.
        if (!names) assertDistinct(fields.map(({ name }) => name));
        resolve(rowCount);
      } catch (error) {
        reject(asError(error));
      }
    });
    asked.on('error', reject);
    client.query(asked);
  });
}

/** Presents an open socket to a driver that expects to connect the socket itself. */
function asConnecting(socket: Socket): Socket {
  socket.connect = () => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return socket;
}
