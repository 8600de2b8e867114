import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamed } from '#rest/openapi.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { call, everyRoute } from './rest.ts';

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

let api: TestApp;
let description: Description;
beforeAll(async () => {
  api = await startTestApp();
  const { body } = await call(api, 'GET', '/openapi.json', { as: { bearer: null, tenant: null } });
  description = body as unknown as Description;
});
afterAll(() => api.close());

const operations = () =>
  Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
  );

/** A validator for any schema of the description, its references resolved. */
function compile(schema: object) {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  return ajv.compile({ ...schema, components: description.components });
}

describe('openapi.json', () => {
  it('is read, and nothing else', async () => {
    const answer = await call(api, 'POST', '/openapi.json', { body: {} });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it('is OpenAPI 3.1 and tells of every route, and of nothing else', () => {
    expect(description.openapi).toBe('3.1.0');
    const described = operations().map(({ name }) => name);
    const besides = Object.keys(streamed).map((path) => `GET ${path}`);
    expect(described.toSorted()).toEqual([...everyRoute.map(({ name }) => name), ...besides].toSorted());
  });

  it('names each operation once, declares every path parameter, and asks for a token where one is needed', () => {
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

  it('holds schemas that compile, and examples that fit them', () => {
    const unfit = operations().flatMap(({ name, operation }) => {
      const bodies = Object.values(operation.requestBody?.content ?? {});
      const answers = Object.values(operation.responses).flatMap(({ content }) => Object.values(content ?? {}));
      for (const { schema } of answers) compile(schema);
      const fits = bodies.every(({ schema, example }) => example === undefined || compile(schema)(example));
      return fits ? [] : [name];
    });
    expect(unfit).toEqual([]);
  });

  it('describes what the routes really answer', async () => {
    const answered = (path: string, method: string, status: number) =>
      compile(
        description.paths[path]?.[method]?.responses[status]?.content?.['application/json']?.schema ?? { not: {} },
      );
    const made = await call(api, 'POST', '/workflows', { body: { name: 'Described' } });
    expect(answered('/workflows', 'post', 201)(made.body)).toBe(true);
    const { body: list } = await call(api, 'GET', '/workflows');
    expect(answered('/workflows', 'get', 200)(list)).toBe(true);
    expect(answered('/me', 'get', 200)((await call(api, 'GET', '/me')).body)).toBe(true);
    const { body: refused } = await call(api, 'POST', '/workflows', { body: { name: 5 } });
    expect(answered('/workflows', 'post', 422)(refused)).toBe(true);
    expect(answered('/workflows', 'get', 200)({ data: [{}] })).toBe(false);
  });
});
