import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { describedService } from './described.ts';
import { call, everyByteRoute, everyRoute } from './rest.ts';

interface Described {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  security: object[];
}
interface Description {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object> };
}

const { compileSchema: compile, undescribed } = describedService;

let description: Description;
test.beforeAll(async ({ api }) => {
  const { body } = await call(api, 'GET', '/openapi.json', { as: { bearer: null, tenant: null } });
  description = body as unknown as Description;
});

const operations = () =>
  Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
  );

describe('openapi.json', () => {
  test('is only readable', async ({ api }) => {
    const answer = await call(api, 'POST', '/openapi.json', { body: {} });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test('is OpenAPI 3.1 and describes exactly the routes', () => {
    expect(description.openapi).toBe('3.1.0');
    const described = operations().map(({ name }) => name);
    const served = [...everyRoute, ...everyByteRoute].map(({ name }) => name);
    expect(described.toSorted()).toEqual(served.toSorted());
  });

  test('names each operation once, declares every path parameter, and requires a token where the route does', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations()) {
      const declared = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect('401' in operation.responses).toBe(operation.security.length > 0);
    }
  });

  test('has schemas that compile, and examples that fit them', () => {
    const unfit = operations().flatMap(({ name, operation }) => {
      const bodies = Object.values(operation.requestBody?.content ?? {});
      const answers = Object.values(operation.responses).flatMap(({ content }) => Object.values(content ?? {}));
      for (const { schema } of answers) compile(schema);
      const fits = bodies.every(({ schema, example }) => example === undefined || compile(schema)(example));
      return fits ? [] : [name];
    });
    expect(unfit).toEqual([]);
  });

  // `call` holds every answer that any test of the REST API gets against the description; this is the law's own test.
  test('describes the actual responses of the routes, and a difference would be found', async ({ api }) => {
    const { body } = await call(api, 'POST', '/workflows', { body: { name: 'Described' } });
    expect(undescribed('POST', '/workflows', { status: 201, body })).toBeUndefined();
    expect(undescribed('POST', '/workflows', { status: 201, body: { id: 1 } })).toMatch(/is not as openapi.json tells/);
    expect(undescribed('POST', '/workflows', { status: 418, body })).toMatch(/does not describe the 418/);
    expect(undescribed('DELETE', '/workflows/1', { status: 204, body })).toMatch(/describes no body/);
  });

  test('describes each status that depends on the result', () => {
    const statuses = (path: string, method: string) => Object.keys(description.paths[path]?.[method]?.responses ?? {});
    for (const path of ['/secrets/{key}', '/state/{ns}/entries/{key}']) {
      expect(statuses(path, 'put')).toEqual(expect.arrayContaining(['200', '201']));
    }
    expect(statuses('/admin/orgs/{org_id}/node-packages', 'post')).toEqual(expect.arrayContaining(['200', '201']));
    expect(statuses('/webhooks/{handle}', 'post')).toEqual(expect.arrayContaining(['200', '202', '502']));
  });
});
