import { expect } from 'vitest';
import type { TestApp } from '#test/setup/app.ts';

/** A request to /graphql as it is put together by hand: a POST of JSON with a token, unless it says otherwise. */
export interface Sent {
  method?: 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** The query string. */
  search?: Record<string, string>;
  type?: string | null;
  /** Without the headers that tell a client from a form. */
  bare?: true;
  roles?: string[];
  body?: unknown;
}

export interface Answered {
  status: number;
  body: unknown;
}

export async function send(
  api: TestApp,
  { method, search, type = 'application/json', bare, roles, body }: Sent,
): Promise<Answered & { allow: unknown }> {
  const headers = {
    ...(type !== null && body !== undefined && { 'content-type': type }),
    ...(!bare && { authorization: `Bearer ${await api.token(roles && { roles })}`, 'x-tenant-id': 'acme-shop' }),
  };
  const response = await api.app.inject({
    method: method ?? 'POST',
    url: `/graphql${search ? `?${new URLSearchParams(search).toString()}` : ''}`,
    headers,
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.statusCode,
    body: response.body && response.json<unknown>(),
    allow: response.headers['allow'],
  };
}

/** Sends, and fails if it changes how many rows any table has, or what any object inherits. */
export async function sendInVain(api: TestApp, sent: Sent): Promise<Answered> {
  const before = await rowCounts(api);
  const { status, body } = await send(api, sent);
  expect(await rowCounts(api)).toEqual(before);
  expect(Object.prototype).not.toHaveProperty('polluted');
  return { status, body };
}

/** Users and their roles are written when they are first seen. */
const writtenWhenSeen = new Set(['users', 'tenant_users']);

/** The row counts of every other table, so that any write shows. */
async function rowCounts({ database }: TestApp): Promise<Record<string, number>> {
  const { rows } = await database.system.query<{ name: string; rows: number }>(
    `SELECT relname AS name, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I.%I', nspname, relname), false, true, '')))[1]::text::int AS rows
     FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition AND has_table_privilege(c.oid, 'SELECT')`,
  );
  return Object.fromEntries(
    rows.filter(({ name }) => !writtenWhenSeen.has(name)).map((table) => [table.name, table.rows]),
  );
}

/** The answer that refuses a request as a whole. */
export const refusal = (status: number, message: string, code = 'BAD_REQUEST'): Answered => ({
  status,
  body: { errors: [{ message, extensions: { code } }] },
});

/** The answer to a document or variables that do not fit, with the place. */
export const unfit = (message: string): Answered => ({
  status: 200,
  body: { errors: [{ message, locations: expect.any(Array), extensions: { code: 'BAD_REQUEST' } }] },
});

/** The answer of an operation whose one field failed. */
export const inData = (code: string, more: object = {}): Answered => ({
  status: 200,
  body: {
    data: expect.toSatisfy((data: object | null) => data === null || Object.values(data)[0] === null),
    errors: [expect.objectContaining({ extensions: { code, ...more } })],
  },
});

export const createWorkflow =
  'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { __typename } }';
const fire = 'mutation ($input: FireWebhookInput!) { fireWebhook(input: $input) { __typename } }';

/** The body of a firing, with a payload in JSON's own text. */
export const firing = (payload: string, handle = 'nobody'): string =>
  `{"query":${JSON.stringify(fire)},"variables":{"input":{"handle":"${handle}","payload":${payload}}}}`;
