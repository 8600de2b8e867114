import fc from 'fast-check';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { maxCounted } from '#src/graphql/paging/connections.ts';
import { countAllAudit, countAudit } from '#src/journal/audit/audit.reads.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type AuditRow, writeEntries } from './audit-rows.ts';

let api: TestApp;
let owner: pg.Client;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
});

const tenants = [
  ['acme', 'acme-shop'],
  ['acme', 'acme-outlet'],
  ['other', 'other-shop'],
] as const;
const rowArbitrary: fc.Arbitrary<AuditRow> = fc
  .record({
    place: fc.constantFrom(...tenants),
    who: fc.constantFrom(null, 'ann', 'bob'),
    type: fc.constantFrom('workflow_run', 'workflow', 'secret', 'ünusual'),
    action: fc.constantFrom('run.started', 'run.finished', 'create', 'update'),
  })
  .map(({ place: [org, tenant], who, type, action }) => ({
    org,
    tenant,
    sub: who,
    email: who && `${who}@example.com`,
    type,
    action,
  }));
const oneOf = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const filterArbitrary = fc.record({
  sub: oneOf('ann', 'bob', 'nobody'),
  resourceType: oneOf('workflow_run', 'secret', 'ünusual', 'nothing'),
  action: oneOf('run.started', 'create', 'nothing'),
});
const adminFilterArbitrary = fc.record({
  orgId: oneOf('acme', 'other', 'none'),
  tenantId: oneOf('acme-shop', 'other-shop', 'none'),
  email: oneOf('ann@example.com', 'bob@example.com', 'nobody@example.com'),
  sub: oneOf('ann', 'bob', 'nobody'),
  resourceType: oneOf('workflow_run', 'secret', 'ünusual', 'nothing'),
  action: oneOf('run.started', 'create', 'nothing'),
});
type Filter = Partial<Record<'orgId' | 'tenantId' | 'email' | 'sub' | 'resourceType' | 'action', string | undefined>>;

const matches = (row: AuditRow, filter: Filter): boolean =>
  (filter.orgId === undefined || filter.orgId === row.org) &&
  (filter.tenantId === undefined || filter.tenantId === row.tenant) &&
  (filter.email === undefined || filter.email === row.email) &&
  (filter.sub === undefined || filter.sub === row.sub) &&
  (filter.resourceType === undefined || filter.resourceType === row.type) &&
  (filter.action === undefined || filter.action === row.action);

interface Page {
  edges: { node: { databaseId: number } }[];
  nextCursor: string | null;
  prevCursor: string | null;
}

/** Follows cursors one way until they end; `meanwhile` runs between pages. Answers the pages' ids. */
async function walk(
  ask: (cursor: string | null) => Promise<Page>,
  from: string | null,
  way: 'nextCursor' | 'prevCursor',
  meanwhile: () => Promise<unknown>,
): Promise<{ pages: number[][]; last: Page }> {
  const pages: number[][] = [];
  for (let cursor = from; ;) {
    const page = await ask(cursor);
    pages.push(page.edges.map(({ node }) => node.databaseId));
    cursor = page[way];
    if (cursor === null) return { pages, last: page };
    expect(pages.length).toBeLessThan(200);
    await meanwhile();
  }
}

/** The law: there and back, every row that was there at the start is met once each way, newest first. */
async function thereAndBack(field: string, filterType: string, rows: AuditRow[], filter: Filter, first: number) {
  const isPublic = field === 'auditLog';
  const asked: Filter = isPublic ? { ...filter, tenantId: 'acme-shop' } : filter;
  const ask = async (cursor: string | null): Promise<Page> => {
    const { data, errors } = await api.graphql<Record<string, Page>>(
      `query ($filter: ${filterType}, $first: Int, $cursor: String) {
        page: ${field}(filter: $filter, first: $first, cursor: $cursor) { edges { node { databaseId } } nextCursor prevCursor } }`,
      { filter, first, cursor },
      isPublic ? {} : { roles: ['operator'], tenant: null },
    );
    expect(errors).toBeUndefined();
    return data['page'] as Page;
  };
  await owner.query('TRUNCATE audit_entries');
  const ids = await writeEntries(api, rows);
  const count = (most: number) =>
    isPublic ? countAudit(api.database, 'acme-shop', filter, most) : countAllAudit(api.database, filter, most);
  const number = rows.filter((row) => matches(row, asked)).length;
  expect([await count(1_000), await count(3)]).toEqual([number, Math.min(number, 3)]);
  const late: number[] = [];
  const meanwhile = async () => late.push(...(await writeEntries(api, rows.slice(0, 3))));

  const there = await walk(ask, null, 'nextCursor', meanwhile);
  const wanted = ids.filter((_, index) => matches(rows[index] as AuditRow, asked)).toReversed();
  // Pages show what was written before them, so nothing that came meanwhile.
  expect(there.pages.flat()).toEqual(wanted);

  if (there.last.prevCursor === null) {
    expect(there.pages).toHaveLength(1);
    return;
  }
  const back = await walk(ask, there.last.prevCursor, 'prevCursor', meanwhile);
  const again = [...back.pages.toReversed().flat(), ...(there.pages.at(-1) as number[])];
  expect(again).toEqual([...new Set(again)].toSorted((a, b) => b - a));
  const isLate = new Set(late);
  expect(again.filter((id) => !isLate.has(id))).toEqual(wanted);
}

test('a tenant’s log is paged in both directions with any rows and filters, while entries are written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowArbitrary, { minLength: 1, maxLength: 40 }),
      filterArbitrary,
      fc.integer({ min: 5, max: 12 }),
      (rows, filter, first) => thereAndBack('auditLog', 'AuditLogFilter', rows, filter, first),
    ),
    { numRuns: 15 },
  );
}, 120_000);

test('the log of all tenants is paged in the same way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowArbitrary, { minLength: 1, maxLength: 40 }),
      adminFilterArbitrary,
      fc.integer({ min: 10, max: 30 }),
      (rows, filter, first) => thereAndBack('adminAuditLog', 'AdminAuditLogFilter', rows, filter, first),
    ),
    { numRuns: 25 },
  );
}, 120_000);

test('a total is counted only up to its limit', async () => {
  await owner.query('TRUNCATE audit_entries');
  await owner.query(
    `INSERT INTO audit_entries (tenant_id, org_id, via_system, channel, action, resource_type, resource_id)
     SELECT 'acme-shop', 'acme', true, 'system', CASE WHEN n <= 7 THEN 'run.failed' ELSE 'run.finished' END, 'workflow_run', '1'
     FROM generate_series(1, $1) AS n`,
    [maxCounted + 1],
  );
  const counted = '{ all: auditLog { totalCount } failed: auditLog(filter: {action: "run.failed"}) { totalCount } }';
  expect((await api.graphql(counted)).data).toEqual({ all: { totalCount: maxCounted }, failed: { totalCount: 7 } });
  const { data } = await api.graphql('{ adminAuditLog { totalCount } }', {}, { roles: ['operator'], tenant: null });
  expect(data).toEqual({ adminAuditLog: { totalCount: maxCounted } });
});
