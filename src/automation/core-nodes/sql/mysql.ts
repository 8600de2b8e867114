import type { Socket } from 'node:net';
import type { Connection, ConnectionOptions, FieldPacket } from 'mysql2';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { readMysqlValue } from './mysql-values.ts';
import { assertDistinct } from './rows.ts';
import { asError, guardParser, type RunStatement, type SqlCall } from './server.ts';

export const runMysql: RunStatement = async ({ server, socket, call, onCommit }) => {
  if (call.isRead) assertReads(call.statement);
  const { createConnection } = await import('mysql2');
  const { host, port, database, username: user, password, ca } = server;
  const options: ConnectionOptions = {
    stream: socket,
    host,
    port,
    database,
    user,
    password,
    ...(server.isEncrypted && {
      ssl: { rejectUnauthorized: true, verifyIdentity: true, ...(ca !== undefined && { ca }) },
    }),
    multipleStatements: false,
    rowsAsArray: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    jsonStrings: true,
    timezone: 'Z',
    charset: 'utf8mb4',
    // Otherwise the driver generates code from the names of columns and evaluates it.
    disableEval: true,
    // Otherwise a server could ask for files of this machine (LOAD DATA LOCAL).
    flags: ['-LOCAL_FILES'],
  };
  const connection = createConnection(options);
  // An error outside of a query would otherwise end the process.
  connection.on('error', () => undefined);
  guardParser(socket);
  const affected = await untilClosed(socket, () => talk(connection, call, onCommit));
  connection.destroy();
  return affected;
};

async function talk(connection: Connection, call: SqlCall, onCommit: () => void): Promise<number | null> {
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  // The encrypted connection has another stream.
  guardParser((connection as unknown as { stream: Socket }).stream);
  const say = (sql: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  for (const sql of begin(call, String(await say('SELECT VERSION()')))) await say(sql);
  const affected = await execute(connection, call);
  if (call.isRead || affected === 'stopped') return null;
  onCommit();
  await say('COMMIT');
  return affected;
}

/** The driver reports errors of the server to a running statement, but not that the connection was closed. */
function untilClosed<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error('Connection lost')));
    work().then(resolve, reject);
  });
}

/** MySQL limits only the time of a SELECT. For other statements, the caller closes the connection in time, and nothing is committed. */
function begin({ isRead, timeoutMs }: SqlCall, version: string): string[] {
  const limit = version.includes('MariaDB')
    ? `max_statement_time = ${timeoutMs / 1_000}`
    : `max_execution_time = ${timeoutMs}`;
  return [
    `SET SESSION time_zone = '+00:00', ${limit}`,
    `SET SESSION TRANSACTION ${isRead ? 'READ ONLY' : 'READ WRITE'}`,
    `START TRANSACTION ${isRead ? 'READ ONLY' : 'READ WRITE'}`,
  ];
}

/** Matches white space, comments and brackets before the first word. `/*!` begins a comment that the server executes. */
const beforeFirstWord = /^(?:\s|--[ \t][^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?![!M])[\s\S]*?\*\/|\()*/;
const reading = /^(?:select|with|show|describe|desc|explain|table|values)\b/i;

/** A compound statement or a procedure could end the read-only transaction and begin another. */
function assertReads(statement: string): void {
  if (reading.test(statement.replace(beforeFirstWord, ''))) return;
  throw new NodeError(
    'SQL_READ_ONLY',
    'With the mode "read", a statement begins with SELECT, WITH, SHOW, DESCRIBE, EXPLAIN, TABLE or VALUES. Set the mode to "write" for any other.',
  );
}

/** Uses a prepared statement, which can only be a single statement and whose parameters are sent separately. */
function execute(
  connection: Connection,
  { statement: sql, parameters, isRead, addRow }: SqlCall,
): Promise<number | 'stopped'> {
  return new Promise((resolve, reject) => {
    let fields: FieldPacket[] = [];
    let affected = 0;
    const asked = connection.execute({ sql, values: [...parameters] as never, rowsAsArray: true });
    asked.on('error', reject);
    asked.on('fields', (given: unknown) => {
      fields = Array.isArray(given) ? given : [];
      try {
        assertDistinct(fields.map(({ name }) => name));
      } catch (error) {
        reject(asError(error));
      }
    });
    asked.on('result', (row: unknown) => {
      if (!Array.isArray(row)) {
        affected = (row as { affectedRows?: number }).affectedRows ?? 0;
        return;
      }
      try {
        const wantsMore = addRow(
          Object.fromEntries(fields.map(({ name, columnType }, at) => [name, readMysqlValue(columnType, row[at])])),
          (connection as unknown as { stream: Socket }).stream,
        );
        if (!wantsMore && isRead) resolve('stopped');
      } catch (error) {
        reject(asError(error));
      }
    });
    asked.on('end', () => resolve(affected));
  });
}
