import { expect } from 'vitest';
import { type RestAnswer, callPlatform } from '#test/rest-compat/rest.ts';
import type { TestApp } from '#test/setup/app.ts';

/** The payload of a mutation, or its error. */
export type Answer = Record<string, never> & {
  order: { id: string; databaseId: number };
  code?: string;
  message?: string;
  fields?: { path: string }[];
};

const failure = '... on Error { code message } ... on ValidationError { fields { path } }';

/** Helpers for tests of orders in acme-shop: as a user of the shop in the graph, and as the ERP over REST. */
export function createShop(api: TestApp) {
  async function mutate(name: string, input: object, payload: string, apiKey?: string): Promise<Answer> {
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const { data, errors } = await api.graphql(
      `mutation ($input: ${title}Input!) { ${name}(input: $input) { ... on ${title}Payload { ${payload} } ${failure} } }`,
      { input },
      apiKey === undefined ? {} : { apiKey },
    );
    expect(errors).toBeUndefined();
    return data[name] as unknown as Answer;
  }

  const book = (body: object): Promise<RestAnswer> => callPlatform(api, 'POST', '/inventories/movements', { body });

  return {
    mutate,
    book,
    place: (input: object) =>
      mutate('createOrder', { currency: 'EUR', ...input }, 'order { id databaseId number holdReason }'),
    act: (id: number, action: string, body?: object) =>
      callPlatform(api, 'POST', `/orders/${id}/${action}`, body === undefined ? {} : { body }),
    get: async (id: number) => (await callPlatform(api, 'GET', `/orders/${id}`)).body,

    /** Makes a product with stock. */
    async stocked(sku: string, quantity: string, taxRate = '19'): Promise<void> {
      await mutate('createProduct', { sku, name: `Article ${sku}`, taxRate }, 'product { id }');
      expect((await book({ sku, kind: 'receipt', quantity, reference: `receipt ${sku}` })).status).toBe(201);
    },

    async readStock(sku: string): Promise<object> {
      const { on_hand, reserved, available } = (await callPlatform(api, 'GET', `/inventories/stock/${sku}`)).body;
      return { on_hand, reserved, available };
    },

    /** Topics of the events about an order, in order. */
    async findTopics(id: number): Promise<string[]> {
      const { rows } = await api.database.system.query<{ topic: string }>(
        `SELECT topic FROM outbox_events WHERE topic LIKE 'order.%' AND data ->> 'id' = $1 ORDER BY id`,
        [String(id)],
      );
      return rows.map(({ topic }) => topic);
    },
  };
}
