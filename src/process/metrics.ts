import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Backlog, countFailedRuns, readBacklog } from '#src/automation/runs/backlog.reads.ts';
import { findCheck } from '#src/commerce/stock/stock-verification.store.ts';
import type { ObserveRequest } from '#src/infra/http/observe-request.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { type ConsumerHealth, consumersHealth } from '#src/journal/outbox/outbox.reads.ts';
import { failedJobsByName } from '#src/operations/failed-jobs/failed-jobs.reads.ts';

/** The metrics of this process, and those of the whole installation, which are read from the database at each scrape. */
export function createMetrics(database: Database): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addOutboxGauges(registry, database);
  addFailedJobsGauge(registry, database);
  addStockGauge(registry, database);
  addBacklogGauges(registry, database);
  addFailedRunsCounter(registry, database);
  addPrimaryGauge(registry, database);
  return registry;
}

/** Times requests by their route's pattern. */
export function timeRequests(registry: Registry): ObserveRequest {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return (labels, elapsedMs) => durations.observe(labels, elapsedMs / 1_000);
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

/** These describe the whole installation: every process reads them from the database at each scrape. */
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

function addPrimaryGauge(registry: Registry, { primary }: Database): void {
  const gauge: Gauge = new Gauge({
    name: 'causeway_two_primaries',
    help: '1 where this process met a former primary and serves nobody until it is started again; the log says what to do.',
    registers: [],
    collect: () => gauge.set(primary.alarm === undefined ? 0 : 1),
  });
  registry.registerMetric(gauge);
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
