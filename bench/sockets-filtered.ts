/**
 * Live deliveries a second: many sockets on the tenant's runs, with the filter of a list against without, in the same run.
 * `node bench/sockets-filtered.ts [sockets] [events] [events a commit] [rounds]`
 */
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { fillLiveRuns, liveTenant, openRunPublisher } from './lib/run-publisher.ts';
import { significant } from './lib/stats.ts';
import { openSubscribers } from './lib/ws-load.ts';

const [sockets = 1000, events = 300, perCommit = 20, rounds = 3] = process.argv.slice(2).map(Number);
const warmUp = Math.ceil(events / 4);
const limitMs = 120_000;

/** Both select what a list of runs shows. */
const query = `subscription Live($filter: RunFilter) {
  runUpdated(filter: $filter) {
    id databaseId status error triggerHandle triggerType startedAt completedAt createdAt updatedAt workflow { id name }
  }
}`;
const filters = { unfiltered: null, filtered: { status: ['RUNNING', 'WAITING'], triggerType: 'WEBHOOK' } };
type Side = keyof typeof filters;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('sockets');
  // Each run changes once a round: two changes of one run may be reported as one, which would favour the filter.
  await fillLiveRuns(databaseUrl, warmUp + events);
  const rates: Record<Side, number[]> = { unfiltered: [], filtered: [] };
  const api = await startApiProcess({ databaseUrl, orgId: liveTenant.orgId, poolSize: 10 });
  try {
    // Alternating, so that other load of the machine affects both.
    for (let round = 1; round <= rounds; round += 1)
      for (const side of ['unfiltered', 'filtered'] as const) {
        const rate = await measure(api, databaseUrl, side);
        note(`Round ${round}: ${events} changes to ${sockets} sockets, ${side}, ${significant(rate)} deliveries/s`);
        rates[side].push(rate);
      }
  } finally {
    await api.stop();
  }
  printFigure({
    figure: 'socket-deliveries-filtered',
    value: Math.max(...rates.filtered),
    unit: 'deliveries/s',
    against: { name: 'unfiltered', value: Math.max(...rates.unfiltered) },
    reach: { of: 'ratio', atLeast: 0.9 },
    detail: {
      sockets,
      events,
      perCommit,
      filtered: rates.filtered.map((rate) => significant(rate)),
      unfiltered: rates.unfiltered.map((rate) => significant(rate)),
    },
  });
});

async function measure(api: ApiProcess, databaseUrl: string, side: Side): Promise<number> {
  const publisher = await openRunPublisher(databaseUrl);
  const subscribers = await openSubscribers({
    port: api.port,
    path: '/graphql',
    sockets,
    query,
    variables: { filter: filters[side] },
    connectionParams: await api.headersFor(liveTenant.tenantId),
  });
  try {
    await subscribers.reset(1_500);
    await publisher.publish(warmUp, perCommit);
    await subscribers.delivered(warmUp, limitMs);
    await subscribers.reset(200);
    const startedAt = Date.now();
    await publisher.publish(events, perCommit);
    const seen = await subscribers.delivered(events, limitMs);
    if (seen.errors > 0 || seen.fewest !== events || seen.most !== events)
      throw new Error(`Each socket should have ${events} messages; they have ${seen.fewest} to ${seen.most}.`);
    return (seen.delivered / (seen.lastAt - startedAt)) * 1000;
  } finally {
    subscribers.stop();
    await publisher.close();
  }
}
