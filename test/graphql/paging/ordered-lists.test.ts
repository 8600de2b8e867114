import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';
import { fillLists } from './filled-lists.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await fillLists(api.deps.database);
});

type Direction = 'ASC' | 'DESC';
type By = (way: Direction, other: Direction) => string;

interface List {
  list: string;
  /** The identifier of a row, in the graph and in SQL. */
  field: 'databaseId' | 'key';
  id: string;
  /** The rows that there are. */
  from: string;
  orders: Record<string, By>;
  /** Columns that a search looks at. */
  searched: string[];
}

const latest = (table: string) =>
  `SELECT DISTINCT ON (slug) * FROM ${table} ORDER BY slug, version_order DESC, version DESC`;
const slugs: By = (way, other) => `slug ${way}, version_order ${other}, version ${other}`;
const byId: By = (way) => `id ${way}`;

/** Each list as plain SQL would read it whole. */
const lists: List[] = [
  {
    list: 'workflows',
    field: 'databaseId',
    id: 'id',
    from: `SELECT * FROM workflows WHERE tenant_id = 'acme-shop' AND deleted_at IS NULL`,
    orders: {
      CREATED_AT: byId,
      UPDATED_AT: (way) => `updated_at ${way}, id ${way}`,
      NAME: (way) => `name ${way}`,
    },
    searched: ['name', 'description'],
  },
  {
    list: 'credentials',
    field: 'databaseId',
    id: 'id',
    from: `SELECT * FROM credentials WHERE tenant_id = 'acme-shop'`,
    orders: {
      NAME: (way) => `name ${way}`,
      CREATED_AT: byId,
      UPDATED_AT: (way) => `updated_at ${way}, id ${way}`,
      EXPIRES_AT: (way) => `expires_at ${way} NULLS LAST, id ${way}`,
    },
    searched: ['name', 'credential_type_slug'],
  },
  {
    list: 'credentialTypes',
    field: 'databaseId',
    id: 'id',
    from: latest('credential_types'),
    orders: { SLUG: (way) => `slug ${way}`, NAME: (way) => `name ${way}, id ${way}` },
    searched: ['slug', 'name', 'description'],
  },
  {
    list: 'nodes',
    field: 'databaseId',
    id: 'id',
    from: `SELECT *, manifest->>'description' AS description FROM nodes`,
    orders: { SLUG: slugs, NAME: (way, other) => `name ${way}, ${slugs(way, other)}`, CREATED_AT: byId },
    searched: ['slug', 'name', 'description'],
  },
  {
    list: 'templates',
    field: 'databaseId',
    id: 'id',
    from: latest('workflow_templates'),
    orders: { SLUG: (way) => `slug ${way}`, NAME: (way) => `name ${way}, id ${way}`, CREATED_AT: byId },
    searched: ['slug', 'name', 'description'],
  },
  {
    list: 'schedules',
    field: 'databaseId',
    id: 'id',
    from: `SELECT s.*, s.trigger_id AS id, t.name AS trigger_name, w.name AS workflow_name FROM schedules s
      JOIN triggers t ON t.id = s.trigger_id JOIN workflows w ON w.id = s.workflow_id WHERE s.tenant_id = 'acme-shop'`,
    orders: {
      CREATED_AT: byId,
      NEXT_FIRE_AT: (way) => `next_fire_at ${way} NULLS LAST, id ${way}`,
      LAST_FIRED_AT: (way) => `last_fired_at ${way} NULLS LAST, id ${way}`,
    },
    searched: ['trigger_name', 'workflow_name'],
  },
  {
    list: 'secrets',
    field: 'key',
    id: 'key',
    from: `SELECT * FROM tenant_secrets WHERE tenant_id = 'acme-shop'`,
    orders: {
      KEY: (way) => `key ${way}`,
      CREATED_AT: (way) => `created_at ${way}, key ${way}`,
      UPDATED_AT: (way) => `updated_at ${way}, key ${way}`,
    },
    searched: ['key'],
  },
];
const named = lists.map((list) => [list.list, list] as const);
const ordered = lists.flatMap((list) =>
  Object.entries(list.orders).flatMap(([field, by]) =>
    (['ASC', 'DESC'] as const).map((direction) => ({ name: list.list, list, by, orderBy: { field, direction } })),
  ),
);

interface Page {
  totalCount: number;
  edges: { cursor: string; node: Record<string, string | number> }[];
  pageInfo: { startCursor: string; endCursor: string; hasNextPage: boolean; hasPreviousPage: boolean };
}

const queries = schema.getQueryType()?.getFields() ?? {};
const listArguments = (list: string) => queries[list]?.args ?? [];

const ask = ({ list, field }: List, variables: object, caller = {}) => {
  const args = ['filter', 'orderBy', 'first', 'after', 'last', 'before', 'offset'];
  const types = new Map(listArguments(list).map(({ name, type }) => [name, String(type)]));
  return api.graphql<Record<string, Page>>(
    `query (${args.map((name) => `$${name}: ${types.get(name)}`).join(', ')}) {
      ${list}(${args.map((name) => `${name}: $${name}`).join(', ')}) {
        totalCount edges { cursor node { ${field} } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      }
    }`,
    variables,
    caller,
  );
};

async function read(list: List, variables: object, caller = {}): Promise<Page> {
  const { data, errors } = await ask(list, variables, caller);
  expect(errors).toBeUndefined();
  return data[list.list] as Page;
}

const listIds = ({ edges }: Page, { field }: List) => edges.map(({ node }) => node[field]);

/** The whole list, by cursors from one end or the other. */
async function walk(list: List, variables: object, backwards: boolean): Promise<unknown[]> {
  const seen: unknown[] = [];
  let page: Page;
  let cursor: string | undefined;
  do {
    page = await read(list, {
      ...variables,
      ...(backwards ? { last: 11, before: cursor } : { first: 9, after: cursor }),
    });
    if (backwards) seen.unshift(...listIds(page, list));
    else seen.push(...listIds(page, list));
    cursor = backwards ? page.pageInfo.startCursor : page.pageInfo.endCursor;
  } while (backwards ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage);
  return seen;
}

async function whole(
  { from, id }: List,
  { where = 'true', by = 'id' }: { where?: string; by?: string },
  values: unknown[] = [],
) {
  const rows = await api.deps.database.tenantQuery<{ id: string | number }>('acme-shop', {
    text: `SELECT ${id} AS id FROM (${from}) AS every WHERE ${where} ORDER BY ${by}`,
    values,
  });
  return rows.map((row) => row.id);
}

/** Without patterns, so that no character means more than itself. */
const holds = ({ searched }: List) =>
  searched.map((column) => `position(lower($1) IN lower(coalesce(${column}, ''))) > 0`).join(' OR ');

describe('a list walked by cursor is the whole list, sorted, with no row twice', () => {
  test.each(ordered)('$name by $orderBy.field $orderBy.direction', async ({ list, by, orderBy }) => {
    const { direction } = orderBy;
    const order = by(direction, direction === 'ASC' ? 'DESC' : 'ASC');
    const all = await whole(list, { by: order });
    expect(all.length).toBeGreaterThan(10);
    expect(await walk(list, { orderBy }, false)).toEqual(all);
    expect(await walk(list, { orderBy }, true)).toEqual(all);
    const search = 'eR';
    const found = await whole(list, { by: order, where: holds(list) }, [search]);
    expect(found.length).toBeGreaterThan(5);
    expect(await walk(list, { orderBy, filter: { search } }, false)).toEqual(found);
    expect(await walk(list, { orderBy, filter: { search } }, true)).toEqual(found);
    const { totalCount, edges } = await read(list, { orderBy, filter: { search }, first: 2, offset: 3 });
    expect(totalCount).toBe(found.length);
    expect(edges.map(({ node }) => node[list.field])).toEqual(found.slice(3, 5));
  });

  test.each(named)('every order of %s is tested here', (_name, list) => {
    const orderBy = listArguments(list.list).find(({ name }) => name === 'orderBy');
    const fields = schema.getType(`${String(orderBy?.type)}Field`) as unknown as { getValues(): { name: string }[] };
    expect(
      fields
        .getValues()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(list.orders).toSorted());
  });
});

describe('a search', () => {
  const hostile = ['%', '_', '\\', '\\%', '%%', "'", "' OR 1=1 --", '*', '.*', '[a-z]', '$1', '注文', 'ÜBER', ' '];

  test.each(named)('of %s treats every character literally', async (_name, list) => {
    const by = list.id;
    for (const search of [...hostile, 'x'.repeat(191)]) {
      const page = await read(list, { filter: { search }, first: 100 });
      const expected = await whole(list, { where: holds(list), by }, [search]);
      expect([search, new Set(listIds(page, list))]).toEqual([search, new Set(expected)]);
    }
    const every = await whole(list, { by });
    expect((await read(list, { filter: { search: '' } })).totalCount).toBe(every.length);
  });

  test.each(named)('of %s is refused if it is too long or not text', async (_name, list) => {
    for (const search of ['x'.repeat(192), 'a\0b', '\ud800']) {
      const { errors } = await ask(list, { filter: { search } });
      expect(errors).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', fields: { search: [expect.any(String)] } } },
      ]);
    }
  });
});

describe('a cursor', () => {
  test.each(named)('of %s is valid only in its own order', async (_name, list) => {
    const orders = ordered.filter((each) => each.list === list).map(({ orderBy }) => orderBy);
    for (const own of orders) {
      const { endCursor } = (await read(list, { orderBy: own, first: 2 })).pageInfo;
      for (const orderBy of orders) {
        const { errors } = await ask(list, { orderBy, after: endCursor });
        if (orderBy === own) expect(errors).toBeUndefined();
        else expect(errors).toMatchObject([{ extensions: { fields: { after: [expect.any(String)] } } }]);
      }
    }
  });

  test('that was made up is refused', async () => {
    const [workflows, credentials] = lists as [List, List];
    const forged: [List, string, string][] = [
      [workflows, 'UPDATED_AT', '["1764000000000"]'],
      [workflows, 'UPDATED_AT', '["1764000000000","1","2"]'],
      [workflows, 'UPDATED_AT', '["yesterday","1"]'],
      [workflows, 'UPDATED_AT', '["999999999999999","1"]'],
      [workflows, 'UPDATED_AT', '["-99999999999999","1"]'],
      [workflows, 'UPDATED_AT', '[null,"1"]'],
      [workflows, 'UPDATED_AT', '["1764000000000",null]'],
      [workflows, 'NAME', String.raw`["\u0000","1"]`],
      [workflows, 'NAME', String.raw`["\ud800","1"]`],
      [workflows, 'NAME', '["a","1234567890123456789"]'],
      [workflows, 'NAME', '{"0":"a","1":"1"}'],
      [workflows, 'NAME', '["a","1"'],
      [credentials, 'EXPIRES_AT', '[[],"1"]'],
    ];
    for (const [list, field, place] of forged) {
      const after = Buffer.from(`${field} ASC ${encodeURIComponent(place)}`).toString('base64url');
      const { errors } = await ask(list, { orderBy: { field, direction: 'ASC' }, after });
      expect([place, errors?.[0]?.extensions?.code]).toEqual([place, 'VALIDATION_FAILED']);
    }
  });
});

describe('a filter', () => {
  const filters: [list: string, filter: object, where: string][] = [
    ['workflows', { active: false }, 'NOT active'],
    ['workflows', { bundleStatus: ['READY', 'FAILED'] }, `bundle_status IN ('ready', 'failed')`],
    ['workflows', { bundleStatus: [] }, 'true'],
    [
      'workflows',
      { updatedSince: '2026-03-02T00:00:00Z', active: true },
      `updated_at >= '2026-03-02T00:00:00Z' AND active`,
    ],
    ['credentials', { type: 'core:bearer' }, `credential_type_slug = 'core:bearer'`],
    ['credentials', { status: ['EXPIRED'] }, `status = 'expired'`],
    ['credentials', { type: `x' OR true --` }, 'false'],
    ['nodes', { namespace: 'lists' }, `namespace = 'lists'`],
    ['nodes', { package: 'lists' }, `namespace = 'lists'`],
    ['nodes', { kind: ['CONTROL', 'TRANSFORM'] }, `manifest->>'kind' IN ('control', 'transform')`],
    ['nodes', { latest: true }, `id IN (SELECT id FROM (${latest('nodes')}) AS newest)`],
    // The highest version is looked for before the search.
    ['nodes', { latest: true, search: 'only in the first version' }, 'false'],
    ['templates', { package: 'lists' }, `slug LIKE 'lists:%'`],
    ['templates', { package: 'nobody' }, 'false'],
    ['templates', { search: 'only in the first version' }, 'false'],
    ['schedules', { active: true }, 'active'],
    ['schedules', { misfire: ['CATCH_UP'] }, `misfire = 'catch_up'`],
    ['secrets', { prefix: 'ERP_' }, `left(key, 4) = 'ERP_'`],
    ['secrets', { prefix: 'ERP%' }, 'false'],
  ];
  test.each(filters)('of %s narrows the list: %j', async (name, filter, where) => {
    const list = lists.find((each) => each.list === name) as List;
    const expected = await whole(list, { where, by: list.id });
    const page = await read(list, { filter, first: 100 });
    expect(new Set(listIds(page, list))).toEqual(new Set(expected));
    expect(page.totalCount).toBe(expected.length);
    if (where !== 'false') expect(expected.length).toBeGreaterThan(0);
  });

  test('of schedules by workflow accepts either id', async () => {
    const list = lists.find((each) => each.list === 'schedules') as List;
    const { rows } = await api.database.system.query<{ id: number }>(
      `SELECT min(workflow_id) AS id FROM schedules WHERE tenant_id = 'acme-shop'`,
    );
    const id = rows[0]?.id as number;
    const expected = await whole(list, { where: `workflow_id = ${id}` });
    for (const workflowId of [String(id), Buffer.from(`Workflow:${id}`).toString('base64')]) {
      const page = await read(list, { filter: { workflowId }, first: 100 });
      expect(listIds(page, list)).toEqual(expected);
    }
  });
});

describe('a tenant', () => {
  const owned = named.filter(([, { from }]) => from.includes('tenant_id'));
  test.each(owned)('finds only its own %s, whatever it searches for', async (_name, list) => {
    for (const filter of [null, { search: 'er' }, { search: '%' }]) {
      const own = (await read(list, { filter, first: 100 })).edges.map(({ node }) => node[list.field]);
      for (const caller of [{ tenant: 'acme-outlet' }, { tenant: 'other-shop', org_id: 'other' }]) {
        const page = await read(list, { filter, first: 100 }, caller);
        expect(page.totalCount).toBe(page.edges.length);
        if (list.field !== 'key') expect(listIds(page, list).filter((id) => own.includes(id as string))).toEqual([]);
      }
    }
    expect((await read(list, {}, { tenant: 'acme-outlet' })).totalCount).toBe(1);
    expect((await read(list, {}, { tenant: 'other-shop', org_id: 'other' })).totalCount).toBe(0);
  });

  test.each(owned)('gets nothing out of a cursor of another tenant: %s', async (_name, list) => {
    const { startCursor } = (await read(list, { first: 1 })).pageInfo;
    const page = await read(list, { before: startCursor, last: 100 }, { tenant: 'other-shop', org_id: 'other' });
    expect(page.edges).toEqual([]);
  });
});
