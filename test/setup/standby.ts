import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { copyMigratedCluster } from './cluster.ts';
import { templateDatabase } from './template-database.ts';

interface Server {
  dataDir: string;
  running: EmbeddedPostgres;
}

/**
 * Copies a running server to the directory, as a standby of it with that name. A replacement for `pg_basebackup`, which is not among the
 * embedded binaries.
 */
export async function copyRunning(primary: Server, dataDir: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.running.url() });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    // Files that vanish meanwhile are made again from the log.
    await promisify(execFile)('cp', ['-a', primary.dataDir, dataDir]).catch(() => undefined);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(dataDir, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  // The log is streamed from the start of the copy on.
  for (const file of await readdir(join(dataDir, 'pg_wal'), { withFileTypes: true }))
    if (file.isFile()) await rm(join(dataDir, 'pg_wal', file.name));
  for (const file of ['postmaster.pid', 'postmaster.opts']) await rm(join(dataDir, file), { force: true });
  await writeFile(join(dataDir, 'standby.signal'), '');
  await appendFile(
    join(dataDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${primary.dataDir}.run user=postgres application_name=${name}'\n`,
  );
}

/** A primary with a migrated database, and a standby that streams from it. */
export interface ReplicatedServer {
  primaryUrl: string;
  replicaUrl: string;
  onPrimary<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  onReplica<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  /** Has the standby replay each commit so many milliseconds after it. */
  delayReplay(ms: number): Promise<void>;
  /** Stops the replay of the standby until `resumeReplay`. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Resolves once the standby has replayed what is on the primary. */
  replayed(): Promise<void>;
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  close(): Promise<void>;
}

// The standby follows from a copy, so what was written meanwhile must be kept for it.
const settings = { wal_keep_size: '512MB', max_wal_senders: '4', fsync: 'off' };

export async function startReplicatedServer(): Promise<ReplicatedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-replica-'));
  const [first, second] = [join(directory, 'primary'), join(directory, 'standby')];
  await copyMigratedCluster(first);
  const primary = { dataDir: first, running: await startEmbeddedPostgres({ dataDir: first, settings }) };
  await copyRunning(primary, second, 'standby');
  let standby = await startEmbeddedPostgres({ dataDir: second, settings });
  const primaryUrl = primary.running.url(templateDatabase);
  const replicaUrl = standby.url(templateDatabase);
  const onPrimary = <Row extends pg.QueryResultRow>(sql: string) => ask<Row>(primaryUrl, sql);
  const onReplica = <Row extends pg.QueryResultRow>(sql: string) => ask<Row>(replicaUrl, sql);

  const server: ReplicatedServer = {
    primaryUrl,
    replicaUrl,
    onPrimary,
    onReplica,
    async delayReplay(ms) {
      await onReplica(`ALTER SYSTEM SET recovery_min_apply_delay = '${ms}ms'`);
      await onReplica('SELECT pg_reload_conf()');
    },
    async pauseReplay() {
      await onReplica('SELECT pg_wal_replay_pause()');
      const isPaused = `SELECT 1 WHERE pg_get_wal_replay_pause_state() = 'paused'`;
      for (const deadline = Date.now() + 30_000; (await onReplica(isPaused)).length === 0; await delay(20))
        if (Date.now() > deadline) throw new Error('The standby does not pause.');
    },
    async resumeReplay() {
      await onReplica('SELECT pg_wal_replay_resume()');
    },
    async replayed() {
      // Some commits do not wait for the disk, and a standby receives only flushed records. This commit waits for the disk.
      await onPrimary(`SELECT pg_logical_emit_message(true, 'test', 'flush')`);
      const [at] = await onPrimary<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');
      const isThere = `SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${at?.lsn}'`;
      for (const deadline = Date.now() + 30_000; (await onReplica(isThere)).length === 0; await delay(20))
        if (Date.now() > deadline) throw new Error('The standby does not follow.');
    },
    stopReplica: () => standby.stop(),
    async startReplica() {
      standby = await startEmbeddedPostgres({ dataDir: second, settings });
    },
    async close() {
      await standby.stop();
      await primary.running.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await server.replayed();
  return server;
}

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
