import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

export const articles = ['MUG', 'TEA', 'POT'];

/** An integration that books stock and places orders at an API which may be away. */
export interface Orders {
  /** Has every client place all of its orders; answers what it was answered, the same when it is done again. */
  placeAll(onPlaced?: () => void): Promise<string[]>;
  /** Requests so far that an outage left unanswered or refused. */
  refused(): number;
}

interface Sent {
  status: number;
  body: Record<string, never>;
}

/** `keyHeaders` are for REST, `adminHeaders` for the graph. */
export function openOrders(options: {
  url: string;
  keyHeaders: Record<string, string>;
  adminHeaders: Record<string, string>;
  clients: number;
  ordersOfClient: number;
}): Orders {
  let refused = 0;

  /** Repeats a command until it is answered, like an integration does that cannot know whether it was received. */
  async function until(path: string, headers: Record<string, string>, body: object): Promise<Sent> {
    const all = { 'content-type': 'application/json', ...headers };
    for (;;) {
      try {
        const answer = await fetch(options.url + path, { method: 'POST', headers: all, body: JSON.stringify(body) });
        const answered = (await answer.json()) as Sent['body'];
        const isOutage = answer.status >= 500 || ('data' in answered && answered['data'] === null);
        if (!isOutage) return { status: answer.status, body: answered };
      } catch {
        // The connection broke, or the answer did.
      }
      refused += 1;
      await delay(100);
    }
  }

  const rest = (path: string, body: object): Promise<Sent> => until(`/v1${path}`, options.keyHeaders, body);

  /** Everything one client does with its nth order: goods come in, the order is placed, and the ERP cancels or completes it. */
  async function place(client: number, n: number): Promise<string> {
    const name = `${client}/${n}`;
    const sku = articles[n % articles.length] as string;
    const booked = await rest('/inventories/movements', {
      sku,
      kind: 'receipt',
      quantity: '2',
      reference: `receipt/${name}`,
    });
    const input = {
      currency: 'EUR',
      externalKey: name,
      positions: [{ sku, quantity: '1', unitPrice: '1.00' }],
    };
    const query = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
      ... on CreateOrderPayload { order { databaseId } } ... on Error { code message } } }`;
    const placed = await until('/graphql', options.adminHeaders, { query, variables: { input } });
    const id = (placed.body as { data?: { createOrder?: { order?: { databaseId: number } } } }).data?.createOrder?.order
      ?.databaseId;
    expect(id, JSON.stringify(placed.body)).toEqual(expect.any(Number));
    const action = n % 2 === 0 ? 'complete' : 'cancel';
    const acted = await rest(`/orders/${id}/${action}`, {});
    expect([booked.status < 300, acted.status]).toEqual([true, 200]);
    return `${booked.body['id']} ${id} ${JSON.stringify(acted.body)}`;
  }

  return {
    async placeAll(onPlaced) {
      const all = Array.from({ length: options.clients }, async (_, client) => {
        const answers: string[] = [];
        for (let n = 0; n < options.ordersOfClient; n += 1) {
          answers.push(await place(client, n));
          onPlaced?.();
        }
        return answers;
      });
      return (await Promise.all(all)).flat();
    },
    refused: () => refused,
  };
}
