import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '#src/infra/postgres/database.ts';
import { type ConsumerHealth, consumersHealth } from '#src/journal/outbox/outbox.reads.ts';
import { failedJobsByName } from '#src/operations/failed-jobs/failed-jobs.reads.ts';

/** The metrics of this process, and those of the whole installation, which are read from the database at each scrape. */
export function createMetrics(database: Database): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addOutboxGauges(registry, database);
  addFailedJobsGauge(registry, database);
  return registry;
}

/** Times every request by its route's pattern. */
export function timeRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
  });
}

const outboxGauges: [name: string, help: string, valueOf: (health: ConsumerHealth) => number][] = [
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
  for (const [name, help, valueOf] of outboxGauges) {
    const gauge: Gauge<'consumer'> = new Gauge({
      name,
      help,
      labelNames: ['consumer'] as const,
      registers: [],
      async collect() {
        gauge.reset();
        // During a database outage the metrics of the process are still served.
        for (const health of await consumersHealth(database).catch(() => [])) {
          gauge.set({ consumer: health.consumer }, valueOf(health));
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
