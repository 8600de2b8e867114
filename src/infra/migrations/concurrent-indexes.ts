import { type MigrationSession, waitingConcurrently, withLockTimeout } from './lock-waits.ts';

/** Comments, strings, quoted names and dollar-quoted bodies, in which a semicolon ends no statement. */
const tokens = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$[A-Za-z_]*\$)[\s\S]*?\1|;|[^-/'"$;]+|./g;

/** The statements of a migration, without comments. Nested comments and E'' strings with \' do not occur there. */
export function sqlStatements(sql: string): string[] {
  const statements = [''];
  for (const [token] of sql.matchAll(tokens)) {
    if (token === ';') statements.push('');
    else if (!token.startsWith('--') && !token.startsWith('/*')) statements[statements.length - 1] += token;
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** A statement of a migration that is applied outside of a transaction. */
type ConcurrentStatement =
  | { kind: 'create'; index: string; table: string; unique: string; rest: string }
  | { kind: 'drop'; index: string };

const name = '"?([a-z_][a-z0-9_]*)"?';
const createIndex = new RegExp(
  `^CREATE\\s+(UNIQUE\\s+)?INDEX\\s+CONCURRENTLY\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?${name}\\s+ON\\s+${name}\\s*([\\s\\S]+)$`,
  'i',
);
const dropIndex = new RegExp(`^DROP\\s+INDEX\\s+CONCURRENTLY\\s+(?:IF\\s+EXISTS\\s+)?${name}$`, 'i');

function parseConcurrent(statement: string): ConcurrentStatement | undefined {
  const [, dropped] = dropIndex.exec(statement) ?? [];
  if (dropped !== undefined) return { kind: 'drop', index: dropped };
  const [, unique = '', index, table, rest] = createIndex.exec(statement) ?? [];
  if (index === undefined || table === undefined || rest === undefined) return undefined;
  return { kind: 'create', index, table, unique, rest };
}

/**
 * The statements of a migration that builds or drops indexes CONCURRENTLY, which Postgres refuses inside of a transaction; undefined for
 * any other migration. Such a file holds nothing else: the progress of an interrupted one is determined by inspection, which is possible
 * for indexes only.
 */
export function concurrentStatements(sql: string): ConcurrentStatement[] | undefined {
  const statements = sqlStatements(sql);
  if (!statements.some((statement) => /^(CREATE|DROP)\s+(UNIQUE\s+)?INDEX\s+CONCURRENTLY\b/i.test(statement))) {
    return undefined;
  }
  return statements.map((statement) => {
    const parsed = parseConcurrent(statement);
    if (parsed) return parsed;
    throw new Error(
      `A migration that builds or drops indexes CONCURRENTLY holds nothing else, with plain lower-case names; put this into another one: ${statement.slice(0, 100)}`,
    );
  });
}

/** Applies one statement; does nothing if it has been applied already. */
export async function applyConcurrently(session: MigrationSession, statement: ConcurrentStatement): Promise<void> {
  if (statement.kind === 'drop') return dropIfThere(session, statement.index);
  const { rows } = await session.client.query<{ kind: string }>(
    'SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass($1)',
    [statement.table],
  );
  return rows[0]?.kind === 'p' ? createOnPartitions(session, statement) : create(session, statement);
}

type Creation = Extract<ConcurrentStatement, { kind: 'create' }>;

/** An index whose building was interrupted is INVALID: queries do not use it, writes still keep it up. It is dropped and built anew. */
async function create(session: MigrationSession, { index, table, unique, rest }: Creation): Promise<void> {
  const found = await isValid(session, index);
  if (found === true) return;
  if (found === false) await dropIfThere(session, index);
  const sql = `CREATE ${unique}INDEX CONCURRENTLY "${index}" ON "${table}" ${rest}`;
  try {
    await waitingConcurrently(session, `Building the index ${index}`, sql);
  } catch (error) {
    await dropIfThere(session, index).catch(() => undefined);
    throw error;
  }
}

/** Partitions are created ahead of time, so one or two may be added meanwhile; they get the index with the table's own. */
const rounds = 5;

/**
 * Postgres builds no index of a partitioned table concurrently. So the table gets one that is INVALID at first, each partition gets its own
 * concurrently, and the first becomes valid with the last of them.
 */
async function createOnPartitions(session: MigrationSession, creation: Creation): Promise<void> {
  const { index, table, unique, rest } = creation;
  const { client } = session;
  if ((await isValid(session, index)) === undefined) {
    await withLockTimeout(session, `Adding the index ${index} to ${table}`, () =>
      client.query(`CREATE ${unique}INDEX "${index}" ON ONLY "${table}" ${rest}`),
    );
  }
  for (let round = 0; (await isValid(session, index)) === false; round += 1) {
    if (round === rounds) throw new Error(`The index ${index} of ${table} is not valid on every partition.`);
    for (const partition of await partitionsWithout(session, index, table)) {
      const own = `${index.slice(0, 40)}_${partition.slice(-22)}`;
      await create(session, { ...creation, index: own, table: partition });
      await withLockTimeout(session, `Attaching the index ${own}`, () =>
        client.query(`ALTER INDEX "${index}" ATTACH PARTITION "${own}"`),
      );
    }
  }
}

async function partitionsWithout({ client }: MigrationSession, index: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ partition: string }>(
    `SELECT c.relname AS partition FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
      WHERE p.inhparent = to_regclass($1) AND NOT EXISTS (
        SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
         WHERE i.inhparent = to_regclass($2) AND x.indrelid = c.oid)
      ORDER BY c.oid`,
    [table, index],
  );
  return rows.map(({ partition }) => partition);
}

/** Undefined if there is no such index. */
async function isValid({ client }: MigrationSession, index: string): Promise<boolean | undefined> {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  );
  return rows[0]?.valid;
}

/** Postgres drops the index of a partitioned table only under a lock on the whole table, which it holds for a moment. */
async function dropIfThere(session: MigrationSession, index: string): Promise<void> {
  const { client } = session;
  const what = `Dropping the index ${index}`;
  const { rows } = await client.query<{ kind: string }>(
    'SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass($1)',
    [index],
  );
  if (rows[0]?.kind === 'I') await withLockTimeout(session, what, () => client.query(`DROP INDEX "${index}"`));
  else if (rows[0]) await waitingConcurrently(session, what, `DROP INDEX CONCURRENTLY "${index}"`);
}
