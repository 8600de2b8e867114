import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '#src/infra/postgres/database.ts';

/** The runs that a worker executes, and how many it can. */
export interface Slots {
  used: number;
  all: number;
}

/** Adds the gauges of this process: its database connections, and its slots for runs if it is a worker. */
export function addProcessGauges(registry: Registry, database: Database, slots?: () => Slots): void {
  addPrimaryGauge(registry, database);
  addAwayGauge(registry, database);
  addConnectionsGauge(registry, database);
  addReplicaGauge(registry, database);
  if (slots) addSlotsGauge(registry, slots);
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

/** Less than the time that a scrape may take. */
const answerMs = 2_000;

function addAwayGauge(registry: Registry, { system }: Database): void {
  const gauge: Gauge = new Gauge({
    name: 'causeway_database_away',
    help: '1 where the database did not answer this process at the scrape, within two seconds.',
    registers: [],
    async collect() {
      const answered = system.query('SELECT 1').then(
        () => true,
        () => false,
      );
      gauge.set((await Promise.race([answered, delay(answerMs, false, { ref: false })])) ? 0 : 1);
    },
  });
  registry.registerMetric(gauge);
}

function addConnectionsGauge(registry: Registry, database: Database): void {
  const gauge: Gauge<'pool' | 'state'> = new Gauge({
    name: 'causeway_database_connections',
    help: 'Connections of this process by pool: those in use, those that are idle, and callers that wait for one.',
    labelNames: ['pool', 'state'] as const,
    registers: [],
    collect() {
      for (const { pool, busy, idle, waiting } of database.connections()) {
        gauge.set({ pool, state: 'busy' }, busy);
        gauge.set({ pool, state: 'idle' }, idle);
        gauge.set({ pool, state: 'waiting' }, waiting);
      }
    },
  });
  registry.registerMetric(gauge);
}

function addReplicaGauge(registry: Registry, { replica }: Database): void {
  const gauge: Gauge = new Gauge({
    name: 'causeway_replica_lag_seconds',
    help: 'How far the replica is behind the primary; absent without one, and where it does not say. Past two seconds it answers nothing.',
    registers: [],
    collect() {
      gauge.remove();
      const seconds = replica?.lagSeconds();
      if (seconds !== undefined) gauge.set(seconds);
    },
  });
  registry.registerMetric(gauge);
}

function addSlotsGauge(registry: Registry, read: () => Slots): void {
  const gauge: Gauge<'state'> = new Gauge({
    name: 'causeway_run_slots',
    help: 'Runs that this worker executes now, and how many more it could.',
    labelNames: ['state'] as const,
    registers: [],
    collect() {
      const { used, all } = read();
      gauge.set({ state: 'used' }, used);
      gauge.set({ state: 'free' }, Math.max(0, all - used));
    },
  });
  registry.registerMetric(gauge);
}
