/**
 * Live deliveries a second: many sockets on one workflow's runs, against plain graphql-ws in the same run.
 * `node bench/sockets.ts [sockets] [events] [events a commit] [rounds]`
 */
import { startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { fillLiveRuns, liveTenant, openRunPublisher } from './lib/run-publisher.ts';
import { significant } from './lib/stats.ts';
import { type Deliveries, openSubscribers } from './lib/ws-load.ts';
import { type DeliveryRate, liveRunQuery, measurePlainGraphqlWs } from './lib/ws-peer-rate.ts';

const [sockets = 1000, events = 300, perCommit = 20, rounds = 3] = process.argv.slice(2).map(Number);
const runs = 100;
const limitMs = 120_000;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('sockets');
  const workflowId = await fillLiveRuns(databaseUrl, runs);
  const ours: DeliveryRate[] = [];
  const theirs: DeliveryRate[] = [];
  // Alternating, so that other load of the machine affects both.
  for (let round = 1; round <= rounds; round += 1) {
    note(`Round ${round}: ${events} changes to ${sockets} sockets, ours, then plain graphql-ws ...`);
    ours.push(await measureOurs(databaseUrl, workflowId));
    theirs.push(await measurePlainGraphqlWs(sockets, events));
  }
  const best = fastest(ours);
  const peer = fastest(theirs);
  printFigure({
    figure: 'socket-deliveries',
    value: best.perSecond,
    unit: 'deliveries/s',
    against: { name: 'plain graphql-ws', value: peer.perSecond },
    reach: { of: 'ratio', atLeast: 2 },
    detail: { sockets, events, perCommit, ours: ours.map(shown), peer: theirs.map(shown) },
  });
});

function fastest(rates: DeliveryRate[]): DeliveryRate {
  return rates.reduce((best, rate) => (rate.perSecond > best.perSecond ? rate : best));
}

function shown({ perSecond, elapsedMs, messageBytes, counterLoad }: DeliveryRate) {
  return { perSecond: significant(perSecond), elapsedMs, messageBytes, counterLoad: significant(counterLoad, 2) };
}

async function measureOurs(databaseUrl: string, workflowId: number): Promise<DeliveryRate> {
  const api = await startApiProcess({ databaseUrl, orgId: liveTenant.orgId, poolSize: 10 });
  const publisher = await openRunPublisher(databaseUrl);
  try {
    const subscribers = await openSubscribers({
      port: api.port,
      path: '/graphql',
      sockets,
      query: liveRunQuery,
      variables: { workflowId: Buffer.from(`Workflow:${workflowId}`).toString('base64') },
      connectionParams: await api.headersFor(liveTenant.tenantId),
    });
    try {
      // First the present state of the live runs, then a round that warms both sides up.
      const present = await subscribers.delivered(runs, limitMs);
      if (present.fewest < runs) throw new Error(`The present state did not reach every socket in ${limitMs} ms.`);
      await subscribers.reset(300);
      const warmUp = Math.ceil(events / 4);
      await publisher.publish(warmUp, perCommit);
      await subscribers.delivered(warmUp, limitMs);
      await subscribers.reset(200);
      const startedAt = Date.now();
      await publisher.publish(events, perCommit);
      return computeRate(await subscribers.delivered(events, limitMs), startedAt);
    } finally {
      subscribers.stop();
    }
  } finally {
    await publisher.close();
    await api.stop();
  }
}

function computeRate(seen: Deliveries, startedAt: number): DeliveryRate {
  if (seen.errors > 0 || seen.fewest !== events || seen.most !== events) {
    throw new Error(
      `Each socket should have ${events} messages; they have ${seen.fewest} to ${seen.most}, ${seen.errors} of them errors.`,
    );
  }
  const elapsedMs = seen.lastAt - startedAt;
  return {
    perSecond: (seen.delivered / elapsedMs) * 1000,
    delivered: seen.delivered,
    elapsedMs,
    messageBytes: seen.sample.length,
    counterLoad: seen.cpuMs / elapsedMs,
  };
}
