import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export type Kind = 'movement' | 'order' | 'run';

/** One command of a client, under a name that no other has. */
export interface Command {
  kind: Kind;
  name: string;
  /** The API it was sent to, by its place. */
  api: number;
  /** Epoch milliseconds of the first request and of the answer. */
  sentAt: number;
  answeredAt: number;
  /** The last answer; 0 without any. */
  status: number;
  accepted: boolean;
  /** Ids, and numbers of orders, that the answer gave. */
  given: string[];
}

export interface Target {
  url: string;
  /** Headers of an admin at this API. */
  admin: Record<string, string>;
}

export interface TrafficOptions {
  /** Begins the names of all commands. */
  label: string;
  apis: Target[];
  /** Headers with an API key; a client has one of its own. */
  keys: Record<string, string>[];
  sku: string;
  handle: string;
  pauseMs: number;
}

export interface Traffic {
  commands: Command[];
  /** In what ways requests were refused or left without an answer. */
  refusals: Set<string>;
  /** Ends once each client has its last answer. */
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: Record<string, unknown>;
}

const answerLimitMs = 10_000;
const createOrder = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
  ... on CreateOrderPayload { order { databaseId number } } ... on Error { code message } } }`;

/**
 * Clients that book stock, place orders and fire a workflow, each one after the other. Movements and orders, which have a name of their own,
 * are sent until they are answered, as an integration does; a firing is sent once.
 */
export function startTraffic({ label, apis, keys, sku, handle, pauseMs }: TrafficOptions): Traffic {
  const commands: Command[] = [];
  const refusals = new Set<string>();
  const stopping = new AbortController();
  const agent = new Agent({ keepAlive: true });

  function send(url: string, headers: Record<string, string>, body: object): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const without = (): void => resolve({ status: 0, retryAfter: undefined, body: {} });
    const outgoing = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      agent,
      timeout: answerLimitMs,
    });
    outgoing.on('error', without);
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      const retryAfter = answered['retry-after'];
      json(response).then((read) => resolve({ status, retryAfter, body: read as Answer['body'] }), without);
    });
    outgoing.end(JSON.stringify(body));
    return promise;
  }

  async function command(
    kind: Kind,
    name: string,
    api: number,
    ask: (target: Target) => Promise<{ status: number; given: string[] | undefined }>,
  ): Promise<void> {
    const target = apis[api] as Target;
    const made: Command = { kind, name, api, sentAt: Date.now(), answeredAt: 0, status: 0, accepted: false, given: [] };
    commands.push(made);
    for (const deadline = Date.now() + 2 * answerLimitMs; ;) {
      const { status, given } = await ask(target);
      Object.assign(made, { status, accepted: given !== undefined, given: given ?? [], answeredAt: Date.now() });
      if (given !== undefined || kind === 'run' || Date.now() > deadline) return;
      await delay(50);
    }
  }

  const book = (name: string, key: Record<string, string>, api: number): Promise<void> =>
    command('movement', name, api, async ({ url }) => {
      const movement = { sku, kind: 'receipt', quantity: '1', reference: name };
      const answer = await send(`${url}/v1/inventories/movements`, key, movement);
      const { status, body } = answer;
      if (status === 200 || status === 201) return { status, given: [`movement ${String(body['id'])}`] };
      refusals.add(describeRefusal(answer));
      return { status, given: undefined };
    });

  const place = (name: string, api: number): Promise<void> =>
    command('order', name, api, async ({ url, admin }) => {
      const input = { currency: 'EUR', externalKey: name, positions: [{ sku, quantity: '1', unitPrice: '1.00' }] };
      const answer = await send(`${url}/graphql`, admin, { query: createOrder, variables: { input } });
      const { status, body } = answer;
      const data = body['data'] as { createOrder?: { order?: { databaseId: number; number: string } } } | undefined;
      const order = data?.createOrder?.order;
      if (!order) {
        refusals.add(describeRefusal(answer));
        return { status, given: undefined };
      }
      return { status, given: [`order ${order.databaseId}`, `order number ${order.number}`] };
    });

  const fire = (name: string, api: number): Promise<void> =>
    command('run', name, api, async ({ url, admin }) => {
      const answer = await send(`${url}/api/v1/webhooks/${handle}`, admin, { name });
      const { status, body } = answer;
      if (status === 202) return { status, given: [`run ${String(body['run_id'])}`] };
      refusals.add(describeRefusal(answer));
      return { status, given: undefined };
    });

  async function client(work: (name: string, turn: number) => Promise<void>, of: string): Promise<void> {
    for (let turn = 0; !stopping.signal.aborted; turn += 1) {
      await work(`${label}/${of}/${turn}`, turn);
      await delay(pauseMs);
    }
  }

  const clients = keys.flatMap((key, of) => [
    client(async (name, turn) => {
      const api = (of + turn) % apis.length;
      await book(name, key, api);
      await place(name, api);
    }, `sale-${of}`),
    client((name, turn) => fire(name, (of + turn) % apis.length), `firing-${of}`),
  ]);
  return {
    commands,
    refusals,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

/** How docs/outages.md has callers told of an outage; anything else is shown as it is. */
export const outageRefusals = ['REST: 503 with Retry-After', 'GraphQL: UNAVAILABLE with retryAfter'];

function describeRefusal({ status, retryAfter, body }: Answer): string {
  const [rest, graph] = outageRefusals as [string, string];
  if (status === 503 && Number(retryAfter) >= 1) return rest;
  const [error] = (body['errors'] ?? []) as { extensions?: { code?: string; retryAfter?: number } }[];
  const { code, retryAfter: after } = error?.extensions ?? {};
  if (code === 'UNAVAILABLE' && typeof after === 'number') return graph;
  return `${status} ${JSON.stringify(body).slice(0, 300)}`;
}
