import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Database } from '#src/infra/postgres/database.ts';
import { addInstallationGauges } from './installation-gauges.ts';
import { addProcessGauges, type Slots } from './process-gauges.ts';
import { addWorkMetrics } from './work-metrics.ts';

/** The metrics of this process, and those of the whole installation. `slots` are the places for runs of a worker. */
export function createMetrics(database: Database, slots?: () => Slots): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addProcessGauges(registry, database, slots);
  addWorkMetrics(registry);
  addInstallationGauges(registry, database);
  return registry;
}
