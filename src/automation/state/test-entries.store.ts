import { NodeError } from '#src/automation/node-api/node-error.ts';
import {
  type EntryKey,
  type EntryWrite,
  isLive,
  removeEntry,
  type RunSql,
  selectEntry,
  writeEntry,
  type Written,
} from './state-entries.store.ts';

/** Where the state store of a workflow reads and writes. */
export interface Entries {
  select: (key: EntryKey) => Promise<{ value: unknown; version: number } | undefined>;
  write: (write: EntryWrite) => Promise<Written>;
  remove: (entry: EntryKey & { version: number | null }) => ReturnType<typeof removeEntry>;
}

export const storedEntries = (run: RunSql, tenantId: string): Entries => ({
  select: (key) => selectEntry(run, tenantId, key),
  write: (write) => writeEntry(run, tenantId, write),
  remove: (entry) => removeEntry(run, tenantId, entry),
});

const maxEntries = 1_000;
/** Steps of one run that write the same key at the same time. */
const maxTries = 20;

interface TestEntry {
  value: unknown;
  version: number;
  writer: string | null;
  /** False for an entry that the run deleted, or that has expired. */
  live: boolean;
  /** The transaction that wrote it: versions start over after a deletion, so they do not tell two writes apart. */
  written_by: string;
}

/**
 * The tenant's entries under those that a test run wrote or deleted. Its writes stay with the run: the tenant's entries do not change, and
 * what was written is deleted with the run.
 */
export function testEntries(run: RunSql, tenantId: string, runId: number): Entries {
  const stored = storedEntries(run, tenantId);

  async function readOwn({ namespace, key }: EntryKey): Promise<TestEntry | undefined> {
    const [row] = await run<TestEntry>({
      name: 'test-state-get',
      text: `SELECT value, version, writer, value IS NOT NULL AND ${isLive('e')} AS live, xmin::text AS written_by FROM test_run_state e
        WHERE tenant_id = $1 AND run_id = $2 AND namespace = $3 AND key = $4`,
      values: [tenantId, runId, namespace, key],
    });
    return row;
  }

  async function read(
    key: EntryKey,
  ): Promise<{ own: TestEntry | undefined; current: { value: unknown; version: number } | undefined }> {
    const own = await readOwn(key);
    return { own, current: own ? (own.live ? own : undefined) : await stored.select(key) };
  }

  /** Returns false where another step of the run has written the entry since `own` was read. */
  async function put(
    { namespace, key }: EntryKey,
    own: TestEntry | undefined,
    next: { text: string | null; version: number; writer: string | null; ttlSeconds: number | null },
  ): Promise<boolean> {
    const [row] = await run<{ is_written: boolean; is_full: boolean }>({
      name: 'test-state-put',
      text: `WITH room AS (SELECT count(*) < ${maxEntries} OR $9::text IS NOT NULL AS is_free FROM test_run_state WHERE tenant_id = $1 AND run_id = $2), w AS (
          INSERT INTO test_run_state AS s (tenant_id, run_id, namespace, key, value, version, writer, expires_at)
          SELECT $1, $2, $3, $4, $5::json, $6, $7, now() + make_interval(secs => $8::double precision) FROM room WHERE is_free
          ON CONFLICT (tenant_id, run_id, namespace, key) DO UPDATE SET value = excluded.value, version = excluded.version,
            writer = excluded.writer, expires_at = excluded.expires_at WHERE s.xmin::text = $9
          RETURNING 1
        ) SELECT EXISTS (SELECT FROM w) AS is_written, NOT is_free AS is_full FROM room`,
      values: [
        tenantId,
        runId,
        namespace,
        key,
        next.text,
        next.version,
        next.writer,
        next.ttlSeconds,
        own?.written_by ?? null,
      ],
    });
    if (row?.is_full) throw new NodeError('STATE_FULL', `A test run writes at most ${maxEntries} entries of state.`);
    return row?.is_written === true;
  }

  return {
    select: async (key) => (await read(key)).current,
    async write(entry) {
      for (let tries = 1; ; tries += 1) {
        const { own, current } = await read(entry);
        const found = current?.version ?? 0;
        const conflict = { outcome: 'conflict', found, foundWriter: own?.writer ?? null } as const;
        if (entry.version !== null && entry.version !== found) return conflict;
        const version = found + 1;
        if (await put(entry, own, { ...entry, version })) {
          const now = new Date();
          return { outcome: 'written', version, expiresAt: null, createdAt: now, updatedAt: now };
        }
        if (tries === maxTries) return conflict;
      }
    },
    async remove(entry) {
      for (let tries = 1; ; tries += 1) {
        const { own, current } = await read(entry);
        const found = current?.version ?? 0;
        if (entry.version !== null && entry.version !== found) return { outcome: 'conflict', found };
        if (!current) return { outcome: 'absent' };
        if (await put(entry, own, { text: null, version: found, writer: null, ttlSeconds: null }))
          return { outcome: 'deleted' };
        if (tries === maxTries) return { outcome: 'conflict', found };
      }
    },
  };
}
