import { performance } from 'node:perf_hooks';
import pg from 'pg';
import type { Summary } from './stats.ts';
import { summarise } from './stats.ts';

export interface CommitRate {
  readonly committers: number;
  readonly rowsPerCommit: number;
  readonly commits: number;
  readonly perSecond: number;
  readonly latencyMs: Summary;
}

export interface CommitLoad {
  /** Connections, each with one `INSERT` outstanding. */
  readonly committers: number;
  readonly rowsPerCommit: number;
  readonly durationMs: number;
}

const payload = JSON.stringify({ outputs: { number: 'SO-1001', status: 'accepted' }, note: 'x'.repeat(200) });
const insert = 'INSERT INTO commit_bench (payload) SELECT payload FROM unnest($1::jsonb[]) AS payload';

/**
 * Autocommitted `INSERT`s of a step-sized row (about 300 bytes) through `pg`, each acknowledged only when it is on the
 * disk. With several committers Postgres shares flushes between them; with several rows the client shares the commit.
 */
export async function measureCommits(databaseUrl: string, load: CommitLoad): Promise<CommitRate> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: load.committers });
  try {
    await pool.query(
      'CREATE TABLE IF NOT EXISTS commit_bench (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload jsonb NOT NULL)',
    );
    const samples: number[] = [];
    const rows = Array.from({ length: load.rowsPerCommit }, () => payload);
    const began = performance.now();
    // The first tenth opens connections and plans statements, so it is not counted.
    const countFrom = began + load.durationMs / 10;
    const end = countFrom + load.durationMs;
    const commit = async (): Promise<void> => {
      const client = await pool.connect();
      try {
        for (let now = performance.now(); now < end;) {
          await client.query({ name: 'commit', text: insert, values: [rows] });
          const done = performance.now();
          if (now >= countFrom) samples.push(done - now);
          now = done;
        }
      } finally {
        client.release();
      }
    };
    await Promise.all(Array.from({ length: load.committers }, commit));
    const perSecond = (samples.length / (performance.now() - countFrom)) * 1000;
    const { committers, rowsPerCommit } = load;
    return { committers, rowsPerCommit, commits: samples.length, perSecond, latencyMs: summarise(samples) };
  } finally {
    await pool.end();
  }
}
