import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { observations } from '#src/infra/observations/observations.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

/** Adds what this process does itself: reads, runs, steps, calls, deliveries, commits, jobs, sockets and what goes wrong with them. */
export function addWorkMetrics(registry: Registry): void {
  addReadMetrics(registry);
  addRunMetrics(registry);
  addSendingMetrics(registry);
  addCommitMetrics(registry);
  addTroubleCounters(registry);
  addSocketGauge(registry);
}

function addReadMetrics(registry: Registry): void {
  const reads = new Counter({
    name: 'causeway_tenant_reads_total',
    help: 'Reads of tenants where there is a replica: answered by it, or by the primary because the replica was away, behind, or failed, or because it was unknown how far it had to be.',
    labelNames: ['by'] as const,
    registers: [registry],
  });
  observations.tenantRead.listen((labels) => reads.inc(labels));
}

function addRunMetrics(registry: Registry): void {
  const waits = new Histogram({
    name: 'causeway_run_wait_seconds',
    help: 'From the making of a run to its first claim by this worker.',
    buckets: seconds,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'causeway_run_duration_seconds',
    help: 'From the making of a run to its end in this worker, with all that it waited for, by status.',
    labelNames: ['status'] as const,
    buckets: seconds,
    registers: [registry],
  });
  const steps = new Counter({
    name: 'causeway_steps_total',
    help: 'Attempts at steps that ended in this worker, by node and status.',
    labelNames: ['node', 'status'] as const,
    registers: [registry],
  });
  const stepSeconds = new Counter({
    name: 'causeway_step_seconds_total',
    help: 'The time of these attempts together, by node.',
    labelNames: ['node'] as const,
    registers: [registry],
  });
  observations.runClaimed.listen(({ waitedMs }) => waits.observe(waitedMs / 1_000));
  observations.runEnded.listen(({ status, ms }) => durations.observe({ status }, ms / 1_000));
  observations.stepEnded.listen(({ node, status, ms }) => {
    steps.inc({ node, status });
    stepSeconds.inc({ node }, ms / 1_000);
  });
}

function addSendingMetrics(registry: Registry): void {
  const calls = new Histogram({
    name: 'causeway_call_duration_seconds',
    help: 'Requests that steps of this worker sent to other systems, by the class of their status, or failed.',
    labelNames: ['outcome'] as const,
    buckets: seconds,
    registers: [registry],
  });
  const webhooks = new Histogram({
    name: 'causeway_webhook_duration_seconds',
    help: 'Attempts of this worker to deliver webhooks, by the class of their status, or failed.',
    labelNames: ['outcome'] as const,
    buckets: seconds,
    registers: [registry],
  });
  const jobs = new Counter({
    name: 'causeway_bulk_jobs_total',
    help: 'Imports and exports that ended in this worker, by target and status.',
    labelNames: ['kind', 'target', 'status'] as const,
    registers: [registry],
  });
  const alerts = new Counter({
    name: 'causeway_alert_messages_total',
    help: 'Messages of alerts by channel: sent, attempts that failed and are repeated, and given up.',
    labelNames: ['channel', 'outcome'] as const,
    registers: [registry],
  });
  observations.alertAttempted.listen((labels) => alerts.inc(labels));
  observations.callSent.listen(({ outcome, ms }) => calls.observe({ outcome }, ms / 1_000));
  observations.webhookSent.listen(({ outcome, ms }) => webhooks.observe({ outcome }, ms / 1_000));
  observations.bulkJobEnded.listen((labels) => jobs.inc(labels));
}

function addCommitMetrics(registry: Registry): void {
  const durations = new Histogram({
    name: 'causeway_commit_duration_seconds',
    help: 'Commits of what runs of this worker did.',
    buckets: seconds,
    registers: [registry],
  });
  const entries = new Counter({
    name: 'causeway_commit_entries_total',
    help: 'What these commits held: starts and ends of steps and runs. Divided by their count, the size of one.',
    registers: [registry],
  });
  observations.stepsCommitted.listen(({ entries: count, ms }) => {
    durations.observe(ms / 1_000);
    entries.inc(count);
  });
}

function addTroubleCounters(registry: Registry): void {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  const leases = counter('causeway_leases_lost_total', 'Times that this worker was taken for dead.');
  const takenOver = counter(
    'causeway_taken_over_runs_total',
    'Runs of workers that were taken for dead, which this process put back into the queue or gave up.',
  );
  const limited = counter(
    'causeway_limited_requests_total',
    'Requests to this process that exceeded the limit of their caller.',
  );
  const crashes = counter(
    'causeway_sandbox_crashes_total',
    'Sandbox processes of this worker that exited by themselves.',
  );
  observations.leaseLost.listen(() => leases.inc());
  observations.runsTakenOver.listen(({ count }) => takenOver.inc(count));
  observations.callerLimited.listen(() => limited.inc());
  observations.sandboxCrashed.listen(() => crashes.inc());
}

function addSocketGauge(registry: Registry): void {
  const sockets = new Gauge({
    name: 'causeway_sockets',
    help: 'Open WebSockets of this process.',
    registers: [registry],
  });
  observations.socketsChanged.listen(({ by }) => sockets.inc(by));
}
