import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type pg from 'pg';
import { type Db, PgBoss, type WorkWithMetadataHandler } from 'pg-boss';
import type { z } from 'zod';
import type { Channel } from './live/pubsub-topic.ts';
import { DatabaseClient, type Guarded } from './postgres/connections/database-client.ts';
import { postgresSocket } from './postgres/connections/postgres-socket.ts';
import type { Database } from './postgres/database.ts';
import { OutageError } from './postgres/outages.ts';
import type { Tx } from './postgres/tx.ts';

/**
 * A job's definition, apart from its handler: callers import definitions, only workers import handlers. Payloads hold ids, never content,
 * and are parsed when sent and again when fetched.
 */
export interface JobDefinition<Schema extends z.ZodType = z.ZodType> {
  /** `domain.noun.verb` */
  name: string;
  schema: Schema;
  /** After `limit` retries the job goes to the dead-letter queue. `delay` is in seconds and doubles up to `delayMax`. */
  retry: { limit: number; delay: number; delayMax?: number };
  /** Seconds a job may stay active before it counts as lost and is retried. */
  expireInSeconds: number;
  /** Gives the queue its own table, for heavy traffic. */
  partition?: boolean;
}

/** Names of queues that were given jobs. */
export const jobsChannel: Channel<string> = {
  name: 'causeway_jobs',
  parse: (raw) => (typeof raw === 'string' ? raw : undefined),
  keys: (queue) => [queue],
};

export const deadJobsQueue = 'jobs.dead';
const formerDeadJobsQueue = 'platform.jobs.dead';
const day = 86_400;

export const defineJob = <Schema extends z.ZodType>(definition: JobDefinition<Schema>): JobDefinition<Schema> =>
  definition;

export interface SendOptions {
  /** The transaction that the job belongs to: a rollback removes the job. */
  tx?: Tx;
  startAfter?: Date;
}

export interface JobEntry<S extends z.ZodType> {
  payload: z.input<S>;
  startAfter?: Date;
  priority?: number;
  /** A fetch can skip all jobs of a group. */
  group?: string;
}

/** A job that was taken out of its queue, with its payload as it was stored. */
export interface TakenJob {
  id: string;
  data: object;
}

export interface TakeOptions {
  tx: Tx;
  /** Jobs of these groups are left in the queue. */
  ignoreGroups?: readonly string[];
  /** Jobs of a lower priority are left in the queue. */
  minPriority?: number;
}

export interface Jobs {
  send<S extends z.ZodType>(job: JobDefinition<S>, payload: z.input<S>, options?: SendOptions): Promise<void>;
  insert<S extends z.ZodType>(
    job: JobDefinition<S>,
    entries: JobEntry<S>[],
    options?: Pick<SendOptions, 'tx'>,
  ): Promise<void>;
  /**
   * Removes due jobs from the queue in the transaction, highest priority first: up to `many`, which should have few distinct values,
   * because a statement is prepared for each. The same transaction must record their outcome, so that nothing is lost.
   */
  take(job: JobDefinition, many: number, options: TakeOptions): Promise<TakenJob[]>;
  /** Runs up to `many` jobs concurrently, each on its own, and polls every second; the returned function makes it poll now. */
  work(job: JobDefinition, many: number, handle: WorkWithMetadataHandler<object>): Promise<() => void>;
  /** Puts a job of the dead-letter queue back into its original queue; returns whether it did. */
  retryFailed(id: string, options: { tx: Tx }): Promise<boolean>;
  /** The same for many that the transaction has locked; returns the ids of those that stay, as they were. */
  retryManyFailed(ids: readonly string[], options: { tx: Tx }): Promise<string[]>;
  /** Deletes a job of the dead-letter queue; returns whether it existed. */
  discardFailed(id: string, options: { tx: Tx }): Promise<boolean>;
  boss: PgBoss;
  stop(): Promise<void>;
}

/** Runs pg-boss in an open transaction. */
export const fromPg = (tx: Pick<Tx, 'query'>): Db => ({
  executeSql: async (text, values) => ({ rows: (await tx.query(text, values as unknown[])).rows }),
});

/**
 * The same for statements whose text depends on the name alone: each connection prepares them once. Postgres takes longer to plan pg-boss's
 * statements than to run them.
 */
const prepared = (tx: Tx, name: string): Db => ({
  executeSql: async (text, values) => ({
    rows: (await tx.query({ name, text, values })).rows,
  }),
});

/**
 * Takes jobs in the order of pg-boss's own fetch, by its index for it, and deletes them immediately. pg-boss would mark them as active and
 * delete them when they are done: two more versions of each row, with their index entries, though nothing here reads that state.
 */
const takeSql = (name: string, many: number, bounds: string[]): string => `
  WITH next AS (
    SELECT id FROM pgboss.job
    WHERE ${[`name = '${name}' AND state < 'active' AND NOT blocked AND start_after <= pgboss.job_now()`, ...bounds].join(' AND ')}
    ORDER BY priority DESC, created_on LIMIT ${many} FOR UPDATE SKIP LOCKED
  )
  DELETE FROM pgboss.job j USING next WHERE j.name = '${name}' AND j.id = next.id RETURNING j.id, j.data`;

const retention = { retentionSeconds: 14 * day, deleteAfterSeconds: day };
// The queue's tables have no tenant column. A tenant's transaction may only send jobs, not take, change or delete them.
const grants = `
  GRANT USAGE ON SCHEMA pgboss TO causeway_app, causeway_system;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgboss TO causeway_system;
  REVOKE UPDATE, DELETE ON ALL TABLES IN SCHEMA pgboss FROM causeway_app;
  GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA pgboss TO causeway_app;
  GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA pgboss TO causeway_app, causeway_system;
`;

const queueOptions = (job: JobDefinition) => ({
  ...retention,
  retryLimit: job.retry.limit,
  retryDelay: job.retry.delay,
  retryBackoff: job.retry.limit > 0,
  retryDelayMax: job.retry.delayMax ?? 3600,
  expireInSeconds: job.expireInSeconds,
  // Workers are woken by `jobsChannel`.
  notify: false,
  deadLetter: deadJobsQueue,
});

/** A fingerprint that `installQueues` leaves as the comment of pg-boss's schema: when equal, nothing must be installed. */
export function queuesMark(jobs: readonly JobDefinition[]): string {
  const { version } = createRequire(import.meta.url)('pg-boss/package.json') as { version: string };
  const queues = jobs.map((job) => ({ ...queueOptions(job), name: job.name, partition: job.partition === true }));
  return `queues ${createHash('sha256')
    .update(JSON.stringify([version, retention, grants, queues]))
    .digest('hex')}`;
}

/**
 * Moves the jobs of the dead-letter queue's former name, and every reference to it, to the present one. The lock keeps
 * out jobs that would refer to the former name while it is removed.
 */
const renameDeadJobsQueue = `
  LOCK TABLE pgboss.job IN SHARE ROW EXCLUSIVE MODE;
  UPDATE pgboss.queue SET dead_letter = '${deadJobsQueue}' WHERE dead_letter = '${formerDeadJobsQueue}';
  UPDATE pgboss.job SET dead_letter = '${deadJobsQueue}' WHERE dead_letter = '${formerDeadJobsQueue}';
  UPDATE pgboss.job SET name = '${deadJobsQueue}' WHERE name = '${formerDeadJobsQueue}';
  DELETE FROM pgboss.queue WHERE name = '${formerDeadJobsQueue}';
`;

// pg-boss passes options it does not know on to pg.
const connecting: object = { Client: DatabaseClient };

/**
 * Creates the queue tables and every queue of `jobs`; the migration runs it as the owner of the database. Gives up if a lock takes longer
 * than `lockMs`; may then be repeated.
 */
export async function installQueues(
  url: string,
  jobs: readonly JobDefinition[],
  { name, lockMs }: { name: string; lockMs: number },
): Promise<void> {
  const connection = { connectionString: url, application_name: name, options: `-c lock_timeout=${lockMs}`, max: 1 };
  const boss = new PgBoss({ ...connecting, ...connection, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  try {
    const present = new Set((await boss.getQueues()).map((queue) => queue.name));
    if (!present.has(deadJobsQueue))
      await boss.createQueue(deadJobsQueue, { ...retention, deleteAfterSeconds: 30 * day });
    if (present.has(formerDeadJobsQueue)) await boss.getDb().executeSql(renameDeadJobsQueue);
    for (const job of jobs) {
      const options = queueOptions(job);
      if (present.has(job.name)) await boss.updateQueue(job.name, options);
      else await boss.createQueue(job.name, { ...options, partition: job.partition === true });
    }
    await boss.getDb().executeSql(`${grants} COMMENT ON SCHEMA pgboss IS '${queuesMark(jobs)}';`);
  } finally {
    await boss.stop({ graceful: false });
  }
}

// Maintenance of the queues may delete many rows.
const statementMs = 120_000;
const maintaining: pg.PoolConfig = {
  ...connecting,
  options: `-c role=causeway_system -c statement_timeout=${statementMs}`,
  keepAlive: true,
  stream: () => postgresSocket(statementMs),
};

/** pg-boss emits copies of the errors of its loops. They have lost the class that distinguishes an outage from a bug. */
const asError = (told: Error): Error =>
  told instanceof Error
    ? told
    : Object.assign((told as Error).name === 'OutageError' ? new OutageError('') : new Error(), told);

interface JobsOptions {
  database: Database;
  /** Workers maintain the queues, over a pool of their own. Other processes only send. */
  maintain?: { url: string };
  onError: (error: Error) => void;
}

async function startBoss({ database, maintain, onError }: JobsOptions): Promise<PgBoss> {
  const shared = {
    migrate: false,
    createSchema: false,
    schedule: false,
    reindex: false,
  };
  const boss = maintain
    ? new PgBoss({
        ...shared,
        ...maintaining,
        ...({ primary: database.primary } satisfies Guarded),
        connectionString: maintain.url,
        application_name: 'causeway-jobs',
        // One connection maintains while the other takes jobs. Each costs the server 3 MiB.
        max: 2,
        supervise: true,
      })
    : new PgBoss({ ...shared, db: fromPg(database.system), supervise: false });
  boss.on('error', (reported) => onError(asError(reported)));
  await boss.start();
  return boss;
}

// A job with a later start is found by polling: workers poll every second.
const isDue = (startAfter?: Date): boolean => !startAfter || startAfter.getTime() <= Date.now();

/** Connects a process to the queue. */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const boss = await startBoss(options);
  const wake = (tx: Tx | undefined, { name }: JobDefinition): void =>
    tx ? tx.notify(jobsChannel.name, [name]) : options.database.notices.send(jobsChannel.name, [name]);

  const insert: Jobs['insert'] = async (job, entries, { tx } = {}) => {
    if (entries.length === 0) return;
    await boss.insert(
      job.name,
      entries.map(({ payload, startAfter, priority, group }) => ({
        data: job.schema.parse(payload) as object,
        ...(group !== undefined && { group: { id: group } }),
        ...(startAfter && { startAfter }),
        ...(priority !== undefined && { priority }),
      })),
      tx ? { db: prepared(tx, `insert ${job.name}`) } : {},
    );
    if (entries.some(({ startAfter }) => isDue(startAfter))) wake(tx, job);
  };
  return {
    boss,
    insert,
    async send(job, payload, { tx, startAfter } = {}) {
      await boss.send(job.name, job.schema.parse(payload) as object, {
        ...(startAfter && { startAfter }),
        ...(tx && { db: fromPg(tx) }),
      });
      if (isDue(startAfter)) wake(tx, job);
    },
    async take({ name }, many, { tx, ignoreGroups, minPriority }) {
      const bounds: [kind: string, condition: (parameter: string) => string, value: unknown][] = [];
      if (ignoreGroups?.length)
        bounds.push(['groups', (groups) => `(group_id IS NULL OR group_id <> ALL(${groups}::text[]))`, ignoreGroups]);
      if (minPriority !== undefined) bounds.push(['priority', (least) => `priority >= ${least}::int`, minPriority]);
      const { rows } = await tx.query<TakenJob>({
        name: ['take', many, name, ...bounds.map(([kind]) => kind)].join(' '),
        text: takeSql(
          name,
          many,
          bounds.map(([, condition], place) => condition(`$${place + 1}`)),
        ),
        values: bounds.map(([, , value]) => value),
      });
      return rows;
    },
    async work({ name }, many, handle) {
      const take = { batchSize: 1, includeMetadata: true, pollingIntervalSeconds: 1 } as const;
      // One pg-boss worker per concurrent job, because pg-boss would wake only the first of a group.
      const takers = await Promise.all(Array.from({ length: many }, () => boss.work(name, take, handle)));
      return () => takers.forEach((taker) => boss.notifyWorker(taker));
    },
    retryFailed: async (id, { tx }) => (await boss.redrive(deadJobsQueue, { ids: [id], db: fromPg(tx) })) === 1,
    async retryManyFailed(ids, { tx }) {
      await boss.redrive(deadJobsQueue, { ids: [...ids], limit: ids.length, db: fromPg(tx) });
      // pg-boss marks a job as failed where its queue has one with the same key; it would not be listed any more.
      const { rows } = await tx.query<{ id: string }>(
        `UPDATE pgboss.job SET state = 'created', completed_on = NULL, output = NULL WHERE name = $1 AND id = ANY($2::uuid[]) RETURNING id`,
        [deadJobsQueue, ids],
      );
      return rows.map(({ id }) => id);
    },
    async discardFailed(id, { tx }) {
      // In SQL, because pg-boss does not return whether it deleted anything.
      const text = `DELETE FROM pgboss.job WHERE name = $1 AND id = $2::uuid AND state < 'active'`;
      const { rowCount } = await tx.query(text, [deadJobsQueue, id]);
      return rowCount === 1;
    },
    stop: () => boss.stop({ graceful: true, timeout: 10_000 }),
  };
}
