/**
 * graphql-ws as its documentation sets it up: one schema, one subscription, and for each subscriber an async iterator
 * of its own, so each event is executed, serialised and sent once a subscriber. POST /publish?events=N publishes N
 * changes of one run, giving the loop a turn after each, and answers {startedAt} in epoch milliseconds when all are
 * handed over.
 */
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

const schema = buildSchema(`
  enum RunStatus { queued running waiting succeeded failed cancelled }
  type Workflow { id: ID! databaseId: Int! name: String! }
  type Run {
    id: ID!
    databaseId: Int!
    status: RunStatus!
    error: String
    triggerHandle: String!
    triggerType: String!
    startedAt: String
    completedAt: String
    createdAt: String!
    updatedAt: String!
    workflow: Workflow!
  }
  type Query { ok: Boolean! }
  type Subscription { runUpdated(workflowId: ID): Run! }
`);

/** Waiting subscribers, each with its own queue, as any in-memory pub/sub keeps them. */
const queues = new Set();

async function* runs() {
  const queue = { events: [], wake: undefined };
  queues.add(queue);
  try {
    for (;;) {
      while (queue.events.length > 0) yield queue.events.shift();
      await new Promise((resolve) => (queue.wake = resolve));
    }
  } finally {
    queues.delete(queue);
  }
}

function publish(run) {
  for (const queue of queues) {
    queue.events.push({ runUpdated: run });
    queue.wake?.();
  }
}

const workflow = { id: 'V29ya2Zsb3c6Nw', databaseId: 7, name: 'Orders to ERP' };

function changeOfRun(n) {
  const at = new Date(1_780_000_000_000 + n).toISOString();
  return {
    id: `UnVuOjEw${n}`,
    databaseId: 100_000 + n,
    status: n % 2 === 0 ? 'running' : 'succeeded',
    error: null,
    triggerHandle: '7d3c2f44-4d0e-4f0c-9c52-0a6a64e0b3c1',
    triggerType: 'webhook',
    startedAt: at,
    completedAt: n % 2 === 0 ? null : at,
    createdAt: at,
    updatedAt: at,
    workflow,
  };
}

const server = createServer((request, response) => void answer(request, response));

async function answer(request, response) {
  request.resume();
  const url = new URL(request.url, 'http://127.0.0.1');
  if (request.method !== 'POST' || url.pathname !== '/publish') return response.writeHead(404).end();
  const startedAt = Date.now();
  const events = Math.min(Number(url.searchParams.get('events')), 10_000);
  for (let n = 0; n < events; n += 1) {
    publish(changeOfRun(n));
    await turn();
  }
  return response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ startedAt, subscribers: queues.size }));
}

useServer({ schema, roots: { subscription: { runUpdated: runs } } }, new WebSocketServer({ server, path: '/graphql' }));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ ready: true, port: server.address().port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
