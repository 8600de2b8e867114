import { Counter, Gauge, type Registry } from 'prom-client';
import { type Backlog, countFailedRuns, readBacklog } from '#src/automation/runs/backlog.reads.ts';
import { findCheck } from '#src/commerce/stock/stock-verification.store.ts';
import { readDeliveryBacklog } from '#src/commerce/webhooks/delivery-backlog.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { countPartitionsAhead } from '#src/infra/postgres/partitions-ahead.ts';
import { readSequenceUse } from '#src/infra/postgres/sequence-use.ts';
import { type ConsumerHealth, consumersHealth } from '#src/journal/outbox/outbox.reads.ts';
import { failedJobsByName } from '#src/operations/failed-jobs/failed-jobs.reads.ts';
import { countWorkers } from '#src/operations/health/health.reads.ts';

/** Adds the gauges of the whole installation, which every process reads from the database at each scrape. */
export function addInstallationGauges(registry: Registry, database: Database): void {
  addOutboxGauges(registry, database);
  addFailedJobsGauge(registry, database);
  addStockGauge(registry, database);
  addBacklogGauges(registry, database);
  addFailedRunsCounter(registry, database);
  addGauges(
    registry,
    installationGauges,
    atMostEvery(readEveryMs, () => readInstallation(database)),
  );
}

/** The number of the present server, as `enter_timeline` gives it. */
async function readTimeline({ system }: Pick<Database, 'system'>): Promise<number> {
  const { rows } = await system.query<{ number: number }>(
    'SELECT coalesce(max(number), 0) AS number FROM server_timelines',
  );
  return rows[0]?.number ?? 0;
}

interface Installation {
  workers: number;
  deliveries: { due: number; oldestSeconds: number };
  sequenceUse: number;
  partitionsAhead: number;
  timeline: number;
}

async function readInstallation(database: Database): Promise<Installation> {
  const [workers, deliveries, sequenceUse, partitionsAhead, timeline] = await Promise.all([
    countWorkers(database),
    readDeliveryBacklog(database),
    readSequenceUse(database),
    countPartitionsAhead(database),
    readTimeline(database),
  ]);
  return { workers, deliveries, sequenceUse, partitionsAhead, timeline };
}

const installationGauges: PlainGauge<Installation>[] = [
  ['causeway_workers', 'Worker processes that hold a lease.', ({ workers }) => workers],
  [
    'causeway_due_webhook_destinations',
    'Webhook destinations with deliveries that are due, counted up to 10,000.',
    ({ deliveries }) => deliveries.due,
  ],
  [
    'causeway_due_delivery_age_seconds',
    'How long the delivery that is due longest has been; 0 where none is.',
    ({ deliveries }) => deliveries.oldestSeconds,
  ],
  [
    'causeway_sequence_used_ratio',
    'How much of the ids of a sequence has been given, of the sequence with the least room: 1 where none is left.',
    ({ sequenceUse }) => sequenceUse,
  ],
  [
    'causeway_partitions_ahead',
    'Partitions beyond the one that is being filled, of the table with the fewest. Without any, its next rows are refused.',
    ({ partitionsAhead }) => partitionsAhead,
  ],
  [
    'causeway_database_timeline',
    'How often the database has changed its server or timeline: each failover and each restore adds 1.',
    ({ timeline }) => timeline,
  ],
];

type PlainGauge<Read> = [name: string, help: string, measure: (read: Read) => number];

/** Adds gauges without labels; one call of `read` provides the values of all of them. */
function addGauges<Read>(registry: Registry, gauges: readonly PlainGauge<Read>[], read: () => Promise<Read>): void {
  for (const [name, help, measure] of gauges) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        // Resetting would show a 0, which means something else than that nothing could be read.
        gauge.remove();
        const found = await read().catch(() => undefined);
        if (found !== undefined) gauge.set(measure(found));
      },
    });
    registry.registerMetric(gauge);
  }
}

const outboxGauges: [name: string, help: string, measure: (health: ConsumerHealth) => number][] = [
  [
    'causeway_outbox_lag_seconds',
    'Age of the oldest event that a consumer of the outbox has not read.',
    ({ lagSeconds }) => lagSeconds,
  ],
  [
    'causeway_outbox_failures',
    'Events that a consumer of the outbox could not handle and put aside; see outboxFailures.',
    ({ failures }) => failures,
  ],
];

function addOutboxGauges(registry: Registry, database: Database): void {
  for (const [name, help, measure] of outboxGauges) {
    const gauge: Gauge<'consumer'> = new Gauge({
      name,
      help,
      labelNames: ['consumer'] as const,
      registers: [],
      async collect() {
        gauge.reset();
        // During a database outage the metrics of the process are still served.
        for (const health of await consumersHealth(database).catch(() => [])) {
          gauge.set({ consumer: health.consumer }, measure(health));
        }
      },
    });
    registry.registerMetric(gauge);
  }
}

function addFailedJobsGauge(registry: Registry, database: Database): void {
  const gauge: Gauge<'job'> = new Gauge({
    name: 'causeway_failed_jobs',
    help: 'Jobs that failed at their last attempt, by name; see failedJobs.',
    labelNames: ['job'] as const,
    registers: [],
    async collect() {
      gauge.reset();
      for (const { job, count } of await failedJobsByName(database).catch(() => [])) gauge.set({ job }, count);
    },
  });
  registry.registerMetric(gauge);
}

const backlogGauges: [
  name: string,
  help: string,
  measure: (backlog: Backlog) => [labels: Record<string, string>, number][],
][] = [
  [
    'causeway_queued_runs',
    "Queued runs, counted up to 10,000, by what they wait for: a worker, or their workflow's concurrency limit.",
    ({ ready, held }) => [
      [{ waits_for: 'worker' }, ready],
      [{ waits_for: 'concurrency' }, held],
    ],
  ],
  [
    'causeway_queued_run_age_seconds',
    'How long the oldest run that waits for a worker has been queued; 0 where none waits.',
    ({ oldestSeconds }) => [[{}, oldestSeconds]],
  ],
  [
    'causeway_pending_dead_letters',
    'Dead letters that wait to be replayed or discarded, counted up to 10,000.',
    ({ pendingDeadLetters }) => [[{}, pendingDeadLetters]],
  ],
];

function addBacklogGauges(registry: Registry, database: Database): void {
  const reading = atMostEvery(readEveryMs, () => readBacklog(database));
  for (const [name, help, measure] of backlogGauges) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: ['waits_for'],
      registers: [],
      async collect() {
        gauge.reset();
        const backlog = await reading().catch(() => undefined);
        for (const [labels, value] of backlog ? measure(backlog) : []) gauge.set(labels, value);
      },
    });
    registry.registerMetric(gauge);
  }
}

/** Counts since the process started, and for the whole installation like the gauges. */
function addFailedRunsCounter(registry: Registry, database: Database): void {
  let since: string | undefined;
  const reading = atMostEvery(readEveryMs, async () => {
    const { failed, until } = await countFailedRuns(database, since);
    since = until;
    counter.inc(failed);
  });
  const counter: Counter = new Counter({
    name: 'causeway_failed_runs_total',
    help: 'Runs that failed, in the whole installation since this process was first scraped.',
    registers: [],
    collect: () => reading().catch(() => undefined),
  });
  registry.registerMetric(counter);
}

const readEveryMs = 5_000;

/** Caches `read` for `everyMs`: concurrent and later callers share its result. A failure is not kept. */
function atMostEvery<T>(everyMs: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { at: number; answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (latest && now - latest.at < everyMs) return latest.answer;
    const answer = read();
    latest = { at: now, answer };
    answer.catch(() => {
      latest = undefined;
    });
    return answer;
  };
}

function addStockGauge(registry: Registry, { system }: Database): void {
  const gauge: Gauge = new Gauge({
    name: 'causeway_stock_differences',
    help: 'Balances of stock that differed from the ledger at the last nightly check; causeway stock verify lists them.',
    registers: [],
    async collect() {
      gauge.reset();
      const check = await findCheck(system).catch(() => null);
      if (check) gauge.set(check.differences);
    },
  });
  registry.registerMetric(gauge);
}
