import { existsSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect } from 'vitest';
import type { z } from 'zod';
import { call, everyByteRoute, everyRoute, type RestAnswer } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import type { Ask, ContractRow } from './contract-row.ts';
import { overGraph } from './over-graph.ts';
import { contractRows, pattern } from './rows.ts';
import { makeWorld, type World } from './world.ts';

let world: World;
/** The same world behind a limit of one request. */
let limited: TestApp;
test.beforeAll(async ({ api, startBeside }) => {
  world = await makeWorld(api);
  limited = await startBeside({ rates: { user: { perSecond: 0, perMinute: 1 } } });
});
afterAll(() => world.close());

const callers: Record<ContractRow['who'], Caller> = {
  anyone: { bearer: null, tenant: null },
  authenticated: { roles: [], tenant: null },
  tester: { roles: ['user'], tenant: null },
  user: { roles: ['user'] },
  admin: { roles: ['admin'] },
  operator: { roles: ['operator'], tenant: null },
};

const makeAsk = async (row: ContractRow): Promise<Ask> => (await row.ask?.(world)) ?? {};

/** A request that is refused uses nothing up, nor does one that reads, so a row's refusals and reads share one. */
const sharedAsks = new Map<ContractRow, Promise<Ask>>();
function sharedAsk(row: ContractRow): Promise<Ask> {
  const ask = sharedAsks.get(row) ?? makeAsk(row);
  sharedAsks.set(row, ask);
  return ask;
}

const chooseAsk = (row: ContractRow): Promise<Ask> => (row.method === 'GET' ? sharedAsk(row) : makeAsk(row));

function buildUrl({ path }: ContractRow, { params = {}, query }: Ask): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(params[name] ?? '')),
  );
  return query ? `${filled}?${query}` : filled;
}

const send = (row: ContractRow, ask: Ask, as = callers[row.who], api = world.api): Promise<RestAnswer> =>
  call(api, row.method, buildUrl(row, ask), {
    as: ask.as ?? as,
    ...(ask.body !== undefined && { body: ask.body }),
    ...(ask.headers && { headers: ask.headers }),
  });

/** Not a stream of bytes, which is not a document. */
const isOfGraph = ({ path }: ContractRow): boolean => !/images|node-packages/.test(path);

const okay = ({ status, text }: RestAnswer) => ({ status, text: status < 400 ? '' : text });

interface Check {
  name: string;
  applies: (row: ContractRow) => boolean;
  run: (row: ContractRow) => Promise<void>;
}

/** Checks for every row that they apply to. */
const checks: Check[] = [
  {
    name: 'answers as documented',
    applies: ({ answers }) => answers !== undefined,
    async run(row) {
      const answer = await send(row, await chooseAsk(row));
      expect(okay(answer)).toEqual({ status: row.answers?.status, text: '' });
      expect(findFaults(row.answers?.body, answer.text === '' ? undefined : answer.body)).toEqual([]);
    },
  },
  {
    name: 'answers the same over GraphQL',
    applies: (row) => row.answers !== undefined && isOfGraph(row),
    async run(row) {
      const ask = await chooseAsk(row);
      await world.quiet();
      const before = row.method === 'GET' ? await send(row, ask) : undefined;
      const found = await overGraph(world.api, row, ask, callers[row.who]);
      expect(found).toMatchObject({ status: row.answers?.status });
      expect(findFaults(row.answers?.body, found?.body)).toEqual([]);
      if (before && !row.path.startsWith('/webhooks'))
        expect(withoutSignatures(found?.body)).toEqual(withoutSignatures(before.body));
    },
  },
  {
    name: 'answers 401 without a token',
    applies: ({ who }) => who !== 'anyone',
    async run(row) {
      const answer = await send(row, await sharedAsk(row), { ...callers[row.who], bearer: null });
      expect(answer).toMatchObject({ status: 401, body: { message: 'Unauthenticated.' } });
    },
  },
  {
    name: 'answers 429 to one request too many, on both faces',
    applies: ({ who }) => who !== 'anyone',
    async run(row) {
      const ask = await sharedAsk(row);
      const as = { ...callers[row.who], sub: `eager ${contractRows.indexOf(row)}` };
      expect((await call(limited, 'GET', '/me', { as })).status).toBe(200);
      const answer = await send(row, ask, as, limited);
      expect(answer).toMatchObject({ status: 429, body: { message: 'Too Many Attempts.' } });
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d?$/);
      const found = await overGraph(limited, row, ask, as);
      if (isOfGraph(row)) expect(found).toMatchObject({ status: 429, message: 'Too Many Attempts.' });
    },
  },
  {
    name: 'answers 403 without a tenant, on both faces',
    applies: ({ who }) => who === 'user' || who === 'admin',
    async run(row) {
      for (const tenant of [null, 'other-shop']) {
        await expectRefused(row, { ...callers[row.who], tenant }, 403, 'Tenant context is required.');
      }
    },
  },
  {
    name: 'answers 403 without the role, on both faces',
    applies: ({ who }) => who !== 'anyone' && who !== 'authenticated',
    async run(row) {
      const roles = { tester: [], user: [], admin: ['user'], operator: ['admin'] }[row.who as 'user'];
      const as = { ...callers[row.who], roles };
      await expectRefused(row, as, 403, 'This action is unauthorized.');
    },
  },
  {
    name: 'answers 404 to another tenant, on both faces, and changes nothing',
    applies: ({ owned }) => owned === true,
    async run(row) {
      await expectRefused(row, { ...callers[row.who], tenant: 'acme-outlet' }, 404, 'Not found.');
      // It is still there for its own tenant.
      expect(okay(await send(row, await sharedAsk(row)))).toEqual({ status: row.answers?.status, text: '' });
    },
  },
  {
    name: 'takes no text that cannot be stored, wherever it stands',
    applies: (row) => row.answers !== undefined && row.ask !== undefined && row.method !== 'GET',
    async run(row) {
      const ask = await chooseAsk(row);
      for (const [path, body] of withText(isObject(ask.body) ? known(ask.body) : undefined, ['a\0b', 'a\ud800b'])) {
        const answer = await send(row, { ...ask, body });
        expect({ path, status: answer.status, text: answer.text }).toMatchObject({
          status: 422,
          text: expect.stringContaining('"errors":{'),
        });
      }
      expect(okay(await send(row, ask))).toEqual({ status: row.answers?.status, text: '' });
    },
  },
  {
    name: 'takes no tenant, id or prototype from a body',
    applies: (row) => row.answers !== undefined && row.ask !== undefined && row.method !== 'GET' && isOfGraph(row),
    async run(row) {
      const ask = await chooseAsk(row);
      if (ask.body !== undefined && !isObject(ask.body)) return expect(ask.body).toBeTypeOf('string');
      const own = JSON.stringify({
        ...ask.body,
        tenant_id: 'acme-outlet',
        org_id: 'other',
        id: 1,
        created_at: 'never',
      });
      const answer = await send(row, { ...ask, body: `{"__proto__":{"tenant_id":"acme-outlet"},${own.slice(1)}` });
      // Where `id` is a member of its own, it decides nothing but the object's name.
      if (row.area === 'Organisations and tenants') return expect(answer.status).toBeLessThan(500);
      expect(okay(answer)).toEqual({ status: row.answers?.status, text: '' });
      expect(answer.text).not.toContain('acme-outlet');
    },
  },
];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value);

/** Without the members that a row does not know, and so does not look at. */
const known = ({ tenant_id: _tenant, status: _status, handle: _handle, ...body }: Record<string, unknown>) => body;

/** The body once for each text in it, and for each of `texts` put in its place, with the place's path. */
function withText(value: unknown, texts: string[], path = ''): [string, unknown][] {
  if (typeof value === 'string') return texts.map((text) => [path, text]);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    withText(inner, texts, `${path}.${key}`).map(([where, changed]): [string, unknown] => [
      where,
      Array.isArray(value) ? value.toSpliced(Number(key), 1, changed) : { ...value, [key]: changed },
    ]),
  );
}

async function expectRefused(row: ContractRow, as: Caller, status: number, message: string): Promise<void> {
  const ask = await sharedAsk(row);
  const answer = await send(row, ask, as);
  const { hint: _hint, ...body } = answer.body;
  expect({ status: answer.status, ...body }).toEqual({ status, message });
  const found = await overGraph(world.api, row, ask, as);
  if (isOfGraph(row)) expect(found).toMatchObject({ status, message });
}

const areas = [...Map.groupBy(contractRows, ({ area }) => area)].map(([area, rows]) => ({
  area,
  rows: rows.map((row, index) => ({ name: `${row.method} ${row.path} (${index + 1})`, row })),
}));

describe.each(areas)('$area', ({ rows }) => {
  describe.each(rows)('$name', ({ row }) => {
    test.each(checks.filter(({ applies }) => applies(row)))('$name', async ({ run }) => {
      expect.hasAssertions();
      await run(row);
    });

    test.each(row.refuses ?? [])('answers $status when $when, on both APIs', async (refusal) => {
      const { status, body } = await send(row, await refusal.ask(world));
      expect({ status, body }).toMatchObject({ status: refusal.status, body: refusal.body });
      const found = await overGraph(world.api, row, await refusal.ask(world), callers[row.who]);
      const { message } = refusal.body as { message?: string };
      if (found) expect(found).toMatchObject({ status: refusal.status, ...(message && { message }) });
    });

    test.each(row.limits ?? [])('accepts $what, and nothing beyond it', async ({ edge, past, field }) => {
      expect(okay(await send(row, await edge(world)))).toEqual({ status: expect.toBeOneOf([200, 201, 202]), text: '' });
      expect(await send(row, await past(world))).toMatchObject({
        status: 422,
        body: { message: 'The given data was invalid.', errors: { [field]: [expect.any(String)] } },
      });
    });
  });
});

/** The faults of a body; one that is documented as empty must be. */
function findFaults(shape: z.ZodType | undefined, body: unknown): unknown[] {
  if (!shape) return body === undefined ? [] : [{ unexpected: body }];
  const { error } = shape.safeParse(JSON.parse(JSON.stringify(body)));
  return error ? error.issues.map((issue) => ({ ...issue, body })) : [];
}

/** Links are signed anew with each answer. */
const withoutSignatures = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(/expires=\d+&signature=[\w-]+/g, 'signed'));

const rowName = (method: string, path: string): string => `${method} ${pattern(path)}`;

describe('the table', () => {
  test('has exactly the routes that the REST API serves', () => {
    const served = new Set([...everyRoute, ...everyByteRoute].map(({ method, row }) => rowName(method, row.path)));
    const documented = new Set(contractRows.map(({ method, path }) => rowName(method, path)));
    expect([...documented].toSorted()).toEqual([...served].toSorted());
  });

  // Where the contract itself lies beside the checkout.
  const contract = new URL('../../../shared/contract/service-api.md', import.meta.url);
  test.runIf(existsSync(contract))('has every row of the contract', () => {
    const rows = [...readFileSync(contract, 'utf8').matchAll(/^\| (GET|POST|PATCH|PUT|DELETE) \| (\/\S+) \|/gm)];
    const documented = new Set(contractRows.map(({ method, path }) => rowName(method, path)));
    expect(rows.length).toBeGreaterThan(25);
    expect(
      rows.map(([, method = '', path = '']) => rowName(method, path)).filter((row) => !documented.has(row)),
    ).toEqual([]);
  });
});
