import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { compileRoutes, type MountedBytes, type MountedDocument, type MountedRoute } from '#rest/compile.ts';
import { isIdParam, listMethods, pathParams } from '#rest/route.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { platformApi, serviceApi } from '#test/setup/rest-apis.ts';
import { schema } from '#test/setup/schema.ts';
import { describedPlatform, describedService } from './described.ts';

export interface RestAnswer {
  status: number;
  headers: Record<string, unknown>;
  // Tests read what they know to be there, and fail where it is not.
  body: Record<string, never>;
  text: string;
}

/** Calls the REST API as `caller`, an admin of acme-shop unless told otherwise; `path` is below /api/v1 unless it is whole. */
export async function call(
  api: TestApp,
  method: string,
  path: string,
  options: { as?: Caller; body?: unknown; headers?: Record<string, string> } = {},
): Promise<RestAnswer> {
  const { tenant = 'acme-shop', bearer, ...claims } = options.as ?? {};
  const authorization = bearer === null ? {} : { authorization: `Bearer ${bearer ?? (await api.token(claims))}` };
  const { body } = options;
  const response = await api.app.inject({
    method: method as InjectOptions['method'],
    url: path.startsWith('/api/') || path.startsWith('/v1/') ? path : `/api/v1${path}`,
    headers: {
      ...authorization,
      ...(tenant && { 'x-tenant-id': tenant }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body !== undefined && {
      payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    }),
  });
  const isJson = String(response.headers['content-type']).includes('json');
  const status = response.statusCode;
  const answered = isJson && response.payload !== '' ? response.json() : undefined;
  // Whatever a test asks for: an answer that the description does not tell of is a fault of one of the two.
  expect(
    describedService.undescribed(method, path.replace(/^(\/api)?\/v1/, ''), { status, body: answered }),
  ).toBeUndefined();
  return { status, headers: response.headers, body: answered ?? {}, text: response.payload };
}

/**
 * Calls the platform API with a key of acme-shop, of every scope unless told otherwise; `path` is below /v1. A key stands for
 * every call of a file, as making one costs more than the call.
 */
export async function callPlatform(
  api: TestApp,
  method: string,
  path: string,
  options: { key?: string | null; tenant?: string | null; body?: unknown; headers?: Record<string, string> } = {},
): Promise<RestAnswer> {
  const { tenant = 'acme-shop', body } = options;
  const key = options.key === undefined ? await tenantKey(api, tenant ?? 'acme-shop') : options.key;
  const response = await api.app.inject({
    method: method as InjectOptions['method'],
    url: `/v1${path}`,
    headers: {
      ...(key !== null && { 'x-platform-api-key': key }),
      ...(tenant !== null && { 'x-platform-tenant': tenant }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body !== undefined && {
      payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    }),
  });
  const isJson = String(response.headers['content-type']).includes('json');
  const status = response.statusCode;
  const answered = isJson && response.payload !== '' ? response.json() : undefined;
  expect(describedPlatform.undescribed(method, path, { status, body: answered })).toBeUndefined();
  return { status, headers: response.headers, body: answered ?? {}, text: response.payload };
}

const keys = new WeakMap<TestApp, Map<string, Promise<string>>>();
function tenantKey(api: TestApp, tenant: string): Promise<string> {
  const known = keys.get(api) ?? new Map<string, Promise<string>>();
  keys.set(api, known);
  const key = known.get(tenant) ?? api.apiKey(['*'], tenant);
  known.set(tenant, key);
  return key;
}

interface Walked<Row> {
  name: string;
  method: string;
  row: Row;
}

const onceAMethod = <Row extends MountedRoute>(rows: Row[]): Walked<Row>[] =>
  rows.flatMap((row) => listMethods(row).map((method) => ({ name: `${method} ${row.path}`, method, row })));

const mounted = compileRoutes(schema, serviceApi);

/** Every route of the platform API, once a method. */
export const everyPlatformRoute = onceAMethod(compileRoutes(schema, platformApi));

/** Every route over a document of the graph, once a method, as the app mounts them. */
export const everyRoute = onceAMethod(mounted.filter((row): row is MountedDocument => 'operation' in row));
/** The same of the routes that take or answer bytes. */
export const everyByteRoute = onceAMethod(mounted.filter((row): row is MountedBytes => !('operation' in row)));

/** A path of the row: ids from `ids` or, by default, one that nothing has; the rest from `texts` or plausible. */
export function fillPath(row: MountedRoute, ids: Record<string, string | number> = {}): string {
  const stand: Record<string, string> = {
    org_id: 'acme',
    slug: 'no-such:node',
    version: '1.0.0',
    handle: nobody,
    name: 'none',
  };
  return pathParams(row.path).reduce(
    (path, name) =>
      path.replace(`{${name}}`, String(ids[name] ?? (isIdParam(name) ? 999_999 : (stand[name] ?? 'none')))),
    row.path,
  );
}

/** A handle that no trigger has. */
const nobody = '00000000-0000-4000-8000-000000000000';
