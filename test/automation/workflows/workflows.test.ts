import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const create = /* GraphQL */ `
  mutation ($input: CreateWorkflowInput!) {
    createWorkflow(input: $input) {
      __typename
      ... on CreateWorkflowPayload {
        workflow {
          id
          databaseId
          name
          revision
          active
          bundle {
            status
          }
        }
      }
      ... on Error {
        code
        message
      }
      ... on ValidationError {
        fields {
          path
          messages
        }
      }
    }
  }
`;
interface Created {
  createWorkflow: { __typename: string; workflow: { id: string; databaseId: number; name: string }; fields: object };
}

describe('workflows over GraphQL', () => {
  test('creates a workflow, queues its build and writes the audit entry in one transaction', async () => {
    const { data, errors } = await api.graphql<Created>(create, { input: { name: 'Orders to ERP' } });
    expect(errors).toBeUndefined();
    expect(data.createWorkflow).toMatchObject({
      __typename: 'CreateWorkflowPayload',
      workflow: { name: 'Orders to ERP', revision: 1, active: true, bundle: { status: 'BUILDING' } },
    });
    const { rows } = await api.database.system.query(
      `SELECT (SELECT count(*)::int FROM audit_entries WHERE action = 'create') AS audited,
              (SELECT count(*)::int FROM pgboss.job WHERE name = 'automation.workflow.build') AS queued`,
    );
    expect(rows[0]).toEqual({ audited: 1, queued: 1 });
  });

  test('refuses a name in use, and creates nothing', async () => {
    await api.graphql(create, { input: { name: 'Twice' } });
    const { data } = await api.graphql<Created>(create, { input: { name: 'Twice' } });
    expect(data.createWorkflow).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: 'name', messages: [expect.any(String)] }],
    });
  });

  test('treats null as absent, except for a description, which it clears', async () => {
    const { data: made } = await api.graphql<Created>(create, {
      input: { name: 'Nulls', description: 'Here', blob: null, active: null },
    });
    const { id } = made.createWorkflow.workflow;
    const { data } = await api.graphql(
      `mutation ($input: UpdateWorkflowInput!) {
        updateWorkflow(input: $input) {
          ... on UpdateWorkflowPayload { workflow { name description active revision blob } }
          ... on ValidationError { fields { path messages } }
        }
      }`,
      { input: { id, name: null, description: null, blob: null, active: null, revision: null, note: null } },
    );
    const blob = { version: 'v1', nodes: [], edges: [] };
    expect(data).toEqual({
      updateWorkflow: { workflow: { name: 'Nulls', description: null, active: true, revision: 1, blob } },
    });
  });

  test('returns the global id of a deleted workflow, whichever id was sent', async () => {
    const { data: made } = await api.graphql<Created>(create, { input: { name: 'Short-lived' } });
    const { id, databaseId } = made.createWorkflow.workflow;
    const { data } = await api.graphql(
      'mutation ($id: ID!) { deleteWorkflow(input: { id: $id }) { ... on DeleteWorkflowPayload { deletedId } } }',
      { id: databaseId },
    );
    expect(data).toEqual({ deleteWorkflow: { deletedId: id } });
  });

  test('finds nothing of another tenant', async () => {
    const { data } = await api.graphql<Created>(create, { input: { name: 'Private' } });
    const { id } = data.createWorkflow.workflow;
    const other = await api.graphql(
      'query ($id: ID!) { workflow(id: $id) { id } node(id: $id) { id } }',
      { id },
      { tenant: 'acme-outlet' },
    );
    expect(other.data).toMatchObject({ workflow: null });
  });

  test('lists newest first and pages by cursor', async () => {
    const page =
      'query ($after: String) { workflows(first: 1, after: $after) { totalCount pageInfo { endCursor hasNextPage } edges { node { name } } } }';
    const first = await api.graphql<{ workflows: { totalCount: number; pageInfo: { endCursor: string } } }>(page);
    expect(first.data.workflows.totalCount).toBeGreaterThan(1);
    const second = await api.graphql(page, { after: first.data.workflows.pageInfo.endCursor });
    expect(second.errors).toBeUndefined();
    expect(second.data).not.toEqual(first.data);
  });

  test.each([
    ['no token', { bearer: null }, 'UNAUTHENTICATED'],
    ['a bad token', { bearer: 'nonsense' }, 'UNAUTHENTICATED'],
    ['no tenant', { tenant: null }, 'TENANT_REQUIRED'],
    ['a tenant of another org', { tenant: 'other-shop' }, 'TENANT_REQUIRED'],
    ['no role that may write', { roles: ['user'] }, 'FORBIDDEN'],
  ])('refuses %s above the data', async (_name, caller, code) => {
    const { errors } = await api.graphql(create, { input: { name: 'Never' } }, caller);
    expect(errors?.[0]?.extensions?.code).toBe(code);
  });
});
