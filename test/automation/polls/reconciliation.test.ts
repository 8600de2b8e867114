import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { firedPayloads, poll } from './polled-api.ts';

interface Answer {
  __typename: string;
  message?: string;
  fields?: { path: string; messages: string[] }[];
  [payload: string]: unknown;
}

async function mutate(api: TestApp, name: string, input: object, select: string, as?: Caller): Promise<Answer> {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const { data, errors } = await api.graphql<Record<string, Answer>>(
    `mutation ($input: ${type}Input!) {
      ${name}(input: $input) {
        __typename ... on ${type}Payload { ${select} } ... on Error { message } ... on ValidationError { fields { path messages } }
      }
    }`,
    { input },
    as,
  );
  return errors ? { __typename: String(errors[0]?.message) } : (data[name] as Answer);
}

test.beforeAll(async ({ api }) => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
});

/** The trigger of docs/polling.md, for this app. */
async function reconciliation(api: TestApp): Promise<object> {
  const { port } = api.app.server.address() as AddressInfo;
  api.egressAllow.add(`127.0.0.1:${port}`);
  const value = await api.apiKey(['orders:read']);
  const credential = await mutate(
    api,
    'createCredential',
    {
      name: `Platform ${port} ${value.slice(-4)}`,
      credentialTypeSlug: 'core:api-key',
      config: { header: 'x-platform-api-key', value },
    },
    'credential { databaseId }',
  );
  return {
    node: { slug: 'core:http-request' },
    config: {
      url: `http://127.0.0.1:${port}/v1/orders`,
      query: { order: 'updated_at.asc', limit: 2 },
      headers: { 'x-platform-tenant': 'acme-shop' },
      credential: (credential['credential'] as { databaseId: number }).databaseId,
      paging: { by: 'offset', total: 'total' },
    },
    items: 'items',
    key: 'id',
    watermark: { by: 'updated_at', field: 'updated_at', param: 'query.updated_since', order: 'ascending' },
    cron: '0 * * * *',
  };
}

const pollFields = `poll { watermark lastPolledAt lastSuccessAt lastError failures recordsSeen recordsFired nextPollAt isReading isWaiting }`;

test('the hourly reconciliation of orders finds each order of the platform once, and a changed one again', async ({
  api,
}) => {
  const { place, act, stocked } = createShop(api);
  await stocked('POLLED', '100');
  const ids: number[] = [];
  for (let made = 0; made < 5; made += 1) {
    const { order } = await place({ positions: [{ sku: 'POLLED', quantity: '1', unitPrice: '1' }] });
    ids.push(order.databaseId);
  }
  const config = await reconciliation(api);
  const { preview } = (await mutate(
    api,
    'previewPoll',
    { config },
    'preview { fault count hasMore records { key watermark fault value } }',
  )) as unknown as { preview: { records: object[] } };
  expect(preview).toMatchObject({ fault: null, count: 2, hasMore: true });
  expect(preview.records[0]).toMatchObject({ key: String(ids[0]), fault: null, value: { id: ids[0] } });

  const { workflowId } = await readyWorkflow(api, { nodes: [node('only', 'set', { values: {} })] });
  const made = await mutate(
    api,
    'createTrigger',
    { workflowId: String(workflowId), type: 'POLL', name: 'Reconciliation', config },
    `trigger { id databaseId handle ${pollFields} }`,
  );
  const trigger = made['trigger'] as { id: string; databaseId: number; handle: string; poll: object };
  expect(trigger.poll).toMatchObject({ watermark: null, lastPolledAt: null, failures: 0, isReading: false });
  const own = { workflowId, triggerId: trigger.databaseId, handle: trigger.handle };
  const fired = async () => (await firedPayloads(api, own)).map(({ record }) => record?.id);
  expect(await poll(api, own)).toMatchObject({ last_error: null, records_fired: 5 });
  expect(await fired()).toEqual(ids);
  await act(ids[1] as number, 'acknowledge', { erp_number: 'A-1' });
  await poll(api, own);
  expect(await fired()).toEqual([...ids, ids[1]]);

  expect(await mutate(api, 'pollTriggerNow', { id: trigger.id }, 'trigger { id }')).toMatchObject({
    trigger: { id: trigger.id },
  });
  const rewound = await mutate(api, 'rewindTrigger', { id: trigger.id, to: null }, `trigger { ${pollFields} }`);
  expect(rewound).toMatchObject({ trigger: { poll: { watermark: null, lastError: null } } });
  await poll(api, own);
  expect(await fired()).toHaveLength(6);
  await mutate(
    api,
    'rewindTrigger',
    { id: trigger.id, to: '2020-01-01T00:00:00+02:00', forget: true },
    'trigger { id }',
  );
  await poll(api, own);
  expect(await fired()).toHaveLength(11);
  expect(await mutate(api, 'rewindTrigger', { id: trigger.id, to: 'yesterday' }, 'trigger { id }')).toMatchObject({
    fields: [{ path: 'to' }],
  });
  const { rows: audit } = await api.database.system.query<{ action: string }>(
    `SELECT action FROM audit_entries WHERE resource_type = 'trigger' AND resource_id = $1 ORDER BY id`,
    [String(trigger.databaseId)],
  );
  expect(audit.map(({ action }) => action)).toEqual(['create', 'poll', 'rewind', 'rewind']);
  // Somebody who only reads may do none of it.
  for (const [name, input, select] of [
    ['pollTriggerNow', { id: trigger.id }, 'trigger { id }'],
    ['rewindTrigger', { id: trigger.id }, 'trigger { id }'],
    ['previewPoll', { config }, 'preview { fault }'],
  ] as const)
    expect((await mutate(api, name, input, select, { roles: ['viewer'] })).__typename).not.toMatch(/Payload$/);
});

test('a preview says what is wrong with a config, and a config that cannot be is refused', async ({ api }) => {
  const config = (await reconciliation(api)) as { watermark: object; config: object };
  const findFault = async (more: object) => {
    const answer = await mutate(api, 'previewPoll', { config: { ...config, ...more } }, 'preview { fault }');
    return (answer['preview'] as { fault: string | null } | undefined)?.fault ?? answer.fields?.map(({ path }) => path);
  };
  expect(await findFault({ items: 'rows' })).toMatch(/no list at items "rows"/);
  expect(await findFault({ key: 'number.x' })).toMatch(/nothing at key "number.x"/);
  expect(await findFault({ watermark: { ...config.watermark, field: 'currency' } })).toMatch(/not a time/);
  expect(await findFault({ node: { slug: 'core:set' } })).toMatch(/no operation of a described API that answers JSON/);
  expect(await findFault({ config: { ...config.config, credential: 999 } })).toMatch(/no credential 999/);
  expect(await findFault({ config: { ...config.config, url: 'http://10.0.0.1/' } })).toMatch(
    /10\.0\.0\.1|private|credential/i,
  );
  expect(await findFault({ config: { url: '{{ 1 }}' } })).toEqual(['config.config']);
  expect(await findFault({ cron: null })).toEqual(['config.interval_seconds']);
  expect(await findFault({ cron: 'never' })).toEqual(['config.cron']);
  expect(await findFault({ watermark: { ...config.watermark, timezone: 'Mars' } })).toEqual([
    'config.watermark.timezone',
  ]);
  expect(await findFault({ watermark: { ...config.watermark, start: 'soon' } })).toEqual(['config.watermark.start']);
});
