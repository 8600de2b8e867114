import pg from 'pg';
import { afterAll, describe, expect, vi } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { makeOwned } from '#test/graphql/owned-objects.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';

let api: TestApp;
let owner: pg.Client;
let owned: Record<string, string>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  owned = await makeOwned(api);
});
afterAll(async () => {
  await owner.end();
});

interface Entry {
  type?: string;
  resourceId?: string;
  tenant?: string;
  sub?: string | null;
  email?: string | null;
}

async function write({ type = 'workflow', resourceId = '1', tenant = 'acme-shop', sub = null, email = null }: Entry) {
  await owner.query(
    `INSERT INTO audit_entries (org_id, tenant_id, actor_sub, actor_email, via_system, channel, action, resource_type, resource_id)
     VALUES ('acme', $1, $2::text, $3, $2::text IS NULL, 'api', 'looked', $4, $5)`,
    [tenant, sub, email, type, resourceId],
  );
}

interface Read {
  subject: { __typename: string; id: string } | null;
  actor: { kind: string; name: string | null };
}

async function read(
  selection: string,
  { first = 100, list = 'auditLog', as = {} }: { first?: number; list?: string; as?: Caller } = {},
) {
  const { data, errors } = await api.graphql<Record<string, { edges: { node: Read }[] }>>(
    `query ($first: Int!) { ${list}(first: $first, filter: { action: "looked" }) { edges { node { ${selection} } } } }`,
    { first },
    as,
  );
  expect(errors).toBeUndefined();
  return (data[list]?.edges ?? []).map(({ node }) => node);
}

const readNumber = (globalId: string) => Buffer.from(globalId, 'base64').toString().split(':')[1] as string;
const subject = 'subject { __typename id }';

describe('an entry leads to what was changed', () => {
  const declared = declarations.audited.filter(({ node }) => node !== undefined);

  test.each(declared.map(({ type, node }) => [type, node as string]))('%s: %s', async (type, node) => {
    const id = owned[node] as string;
    expect(id).toBeDefined();
    await write({ type, resourceId: readNumber(id) });
    expect(await read(subject, { first: 1 })).toEqual([{ subject: { __typename: node, id } }]);
  });

  test('and to nothing in another tenant, which has an entry with the same id', async () => {
    const workflow = readNumber(owned['Workflow'] as string);
    await write({ resourceId: workflow, tenant: 'acme-outlet' });
    expect(await read(subject, { first: 1, as: { tenant: 'acme-outlet' } })).toEqual([{ subject: null }]);
    expect(await read(subject, { first: 1, list: 'adminAuditLog', as: { roles: ['operator'] } })).toEqual([
      { subject: null },
    ]);
  });

  test.each([['9'.repeat(18)], ['9'.repeat(30)], ['-1'], ["1' OR true"], ['%']])(
    'and to nothing where there is none of the id: %s',
    async (resourceId) => {
      await write({ resourceId });
      expect(await read(subject, { first: 1 })).toEqual([{ subject: null }]);
    },
  );

  test('and to nothing once it is deleted', async () => {
    const made = await api.graphql<{ createWorkflow: { workflow: { id: string; databaseId: number } } }>(
      `mutation { createWorkflow(input: { name: "Short-lived" }) { ... on CreateWorkflowPayload { workflow { id databaseId } } } }`,
    );
    const { id, databaseId } = made.data.createWorkflow.workflow;
    await api.graphql('mutation ($id: ID!) { deleteWorkflow(input: { id: $id }) { __typename } }', { id });
    await write({ resourceId: String(databaseId) });
    expect(await read(subject, { first: 1 })).toEqual([{ subject: null }]);
  });
});

test('a page is followed with as many statements for fifteen entries as for three', async () => {
  const makeWorkflow = async (title: string) => {
    const { data } = await api.graphql<{ createWorkflow: { workflow: { databaseId: number } } }>(
      `mutation ($name: String!) { createWorkflow(input: { name: $name }) { ... on CreateWorkflowPayload { workflow { databaseId } } } }`,
      { name: title },
    );
    return String(data.createWorkflow.workflow.databaseId);
  };
  for (let index = 0; index < 5; index += 1) {
    await write({ resourceId: await makeWorkflow(`Counted ${index}`), sub: `user-${index}` });
    await write({ type: 'credential', resourceId: readNumber(owned['Credential'] as string) });
    await write({ type: 'workflow_run', resourceId: readNumber(owned['Run'] as string) });
  }
  const count = async (first: number) => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const entries = await read(
      `actor { kind name } subject { id ... on Workflow { name bundle { status } } ... on Credential { name authorised: status } ... on Run { ended: status } }`,
      { first },
    );
    const statements = sent.mock.calls.map(([query]) => (query as { text?: string } | undefined)?.text ?? '');
    sent.mockRestore();
    expect(entries).toHaveLength(first);
    for (const entry of entries) expect(entry.subject).not.toBeNull();
    return statements.filter((text) => /\b(workflows|credentials|runs|users)\b/.test(text)).length;
  };
  expect(await count(15)).toBe(await count(3));
  expect(await count(3)).toBe(4);
});

describe('an entry names its actor', () => {
  const actor = 'actor { kind name }';

  test('a user by the name of the last token, or by the email address or subject in the entry', async () => {
    await owner.query(
      `INSERT INTO users (iss, sub, email, name) VALUES ('one', 'ada', 'ada@example.com', 'Ada'),
       ('one', 'twin', NULL, 'First'), ('two', 'twin', NULL, 'Second')`,
    );
    for (const [sub, email] of [
      ['ada', 'ada@example.com'],
      ['ada', 'old@example.com'],
      ['twin', null],
    ] as const)
      await write({ sub, email });
    expect((await read(actor, { first: 3 })).map((entry) => entry.actor)).toEqual([
      { kind: 'USER', name: 'twin' },
      { kind: 'USER', name: 'old@example.com' },
      { kind: 'USER', name: 'Ada' },
    ]);
  });

  test('a key of its own tenant by its name, and the system', async () => {
    await api.apiKey(['orders:read']);
    const { rows } = await owner.query(
      `SELECT prefix, name FROM api_keys WHERE tenant_id = 'acme-shop' ORDER BY id DESC LIMIT 1`,
    );
    const sub = `api-key/${rows[0].prefix}`;
    await write({ sub });
    await write({ sub, tenant: 'acme-outlet' });
    await write({});
    const entries = await read(actor, { first: 3, list: 'adminAuditLog', as: { roles: ['operator'] } });
    expect(entries.map((entry) => entry.actor)).toEqual([
      { kind: 'SYSTEM', name: null },
      { kind: 'API_KEY', name: null },
      { kind: 'API_KEY', name: rows[0].name },
    ]);
  });
});
