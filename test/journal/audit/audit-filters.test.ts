import pg from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let owner: pg.Client;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  await owner.query(
    `INSERT INTO audit_entries (org_id, tenant_id, via_system, channel, action, resource_type, resource_id, created_at)
     SELECT 'acme', tenant, true, 'api', action, type, id, at::timestamptz FROM (VALUES
       ('acme-shop', 'create', 'workflow', '7', '2026-01-01T00:00:00Z'),
       ('acme-shop', 'update', 'workflow', '8', '2026-01-02T00:00:00Z'),
       ('acme-outlet', 'update', 'workflow', '7', '2026-01-02T06:00:00Z'),
       ('acme-shop', 'save', 'workflow_draft', '7', '2026-01-02T12:00:00Z'),
       ('acme-shop', 'create', 'product', '7', '2026-01-03T00:00:00Z'),
       ('acme-shop', 'update', 'workflow', '7', '2026-01-05T00:00:00Z')
     ) AS row(tenant, action, type, id, at)`,
  );
});
afterAll(async () => {
  await owner.end();
});

const globalId = (text: string) => Buffer.from(text).toString('base64');

async function read(filter: object, list = 'auditLog'): Promise<string[]> {
  const type = list === 'auditLog' ? 'AuditLogFilter' : 'AdminAuditLogFilter';
  const { data, errors } = await api.graphql<Record<string, Page>>(
    `query ($filter: ${type}) { page: ${list}(filter: $filter, first: 10) {
      totalCount edges { node { resourceType resourceId action } } } }`,
    { filter },
    list === 'auditLog' ? {} : { roles: ['operator'], tenant: null },
  );
  expect(errors).toBeUndefined();
  const { edges, totalCount } = data['page'] as Page;
  expect(totalCount).toBe(edges.length);
  return edges.map(({ node }) => `${node.resourceType} ${node.resourceId} ${node.action}`);
}
interface Page {
  totalCount: number;
  edges: { node: { resourceType: string; resourceId: string; action: string } }[];
}

describe('the history of an object', () => {
  test('has the entries about it and its parts, newest first, and none of another type or tenant', async () => {
    const subjectId = globalId('Workflow:7');
    const history = ['workflow 7 update', 'workflow_draft 7 save', 'workflow 7 create'];
    expect(await read({ subjectId })).toEqual(history);
    expect(await read({ subjectId, action: 'save' })).toEqual(['workflow_draft 7 save']);
    expect(await read({ subjectId, resourceType: 'workflow' })).toEqual(['workflow 7 update', 'workflow 7 create']);
    expect(await read({ subjectId, resourceType: 'product' })).toEqual([]);
    expect(await read({ subjectId, sub: 'nobody' })).toEqual([]);
    expect(await read({ subjectId: globalId('Product:7') })).toEqual(['product 7 create']);
  });

  test.each(['7', '', globalId('Workflow'), globalId('WorkflowRevision:7'), globalId('Workflow:99'), 'ü'])(
    'is empty for an id that no entry is about: %s',
    async (subjectId) => {
      expect(await read({ subjectId })).toEqual([]);
    },
  );
});

describe('the entries of a time', () => {
  test.each([
    [{ since: '2026-01-02T00:00:00Z', until: '2026-01-03T00:00:00Z' }, ['workflow_draft 7 save', 'workflow 8 update']],
    [{ since: '2026-01-03T00:00:00.001Z' }, ['workflow 7 update']],
    [{ until: '2026-01-02T00:00:00Z' }, ['workflow 7 create']],
    [{ since: '2026-01-06T00:00:00Z' }, []],
    [{ since: '2026-01-02T00:00:00Z', action: 'update' }, ['workflow 7 update', 'workflow 8 update']],
  ])('are half open: %j', async (filter, expected) => {
    expect(await read(filter)).toEqual(expected);
  });

  test('are also those of all tenants', async () => {
    const filter = { since: '2026-01-02T00:00:00Z', until: '2026-01-02T12:00:00Z' };
    expect(await read(filter, 'adminAuditLog')).toEqual(['workflow 7 update', 'workflow 8 update']);
  });

  test('include one whose id is older than its neighbours, because its transaction took hours', async () => {
    await owner.query(
      `INSERT INTO audit_entries (org_id, tenant_id, via_system, channel, action, resource_type, resource_id, created_at)
       VALUES ('acme', 'acme-shop', true, 'api', 'late', 'secret', '1', '2026-01-04T01:00:00Z')`,
    );
    expect(await read({ since: '2026-01-04T00:00:00Z', until: '2026-01-05T00:00:00Z' })).toEqual(['secret 1 late']);
  });
});

test('a cursor belongs to the object and the time', async () => {
  const page = async (filter: string, cursor?: string) => {
    const { data, errors } = await api.graphql<{ auditLog: { nextCursor: string } } | null>(
      `query ($cursor: String) { auditLog(first: 1, filter: { ${filter} }, cursor: $cursor) { nextCursor } }`,
      { cursor },
    );
    return errors ? undefined : data?.auditLog.nextCursor;
  };
  const seven = `subjectId: "${globalId('Workflow:7')}"`;
  const cursor = await page(seven);
  expect(cursor).toBeTypeOf('string');
  expect(await page(seven, cursor)).toBeTypeOf('string');
  expect(await page(`subjectId: "${globalId('Workflow:8')}"`, cursor)).toBeUndefined();
  expect(await page(`${seven}, since: "2026-01-01T00:00:00Z"`, cursor)).toBeUndefined();
});
