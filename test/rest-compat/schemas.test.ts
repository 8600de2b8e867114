import formats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const nobody = { bearer: null, tenant: null };

describe('published schemas', () => {
  test('are listed for everyone, even with an invalid token', async () => {
    for (const as of [nobody, { bearer: 'nonsense' }]) {
      const { status, body } = await call(api, 'GET', '/schemas', { as });
      expect(status).toBe(200);
      expect(body['data']).toContainEqual({ name: 'workflow-blob', version: 'v1' });
    }
  });

  test('cover every document that this API accepts', async () => {
    const { body } = await call(api, 'GET', '/schemas', { as: nobody });
    expect(body['data']).toEqual([
      { name: 'credential-type', version: 'v1' },
      { name: 'incoming-message', version: 'v1' },
      { name: 'node-manifest', version: 'v0-draft' },
      { name: 'node-package', version: 'v1' },
      { name: 'theme-extensions', version: 'v1' },
      { name: 'workflow-blob', version: 'v1' },
      { name: 'workflow-template', version: 'v1' },
    ]);
  });

  test.each(declarations.schemas)(
    '$name/$version is JSON Schema 2020-12, with its own address as its id',
    ({ name, version, schema }) => {
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `/api/v1/schemas/${name}/${version}`,
        title: expect.any(String),
      });
      const ajv = new Ajv2020({ strict: false });
      formats.default(ajv);
      expect(ajv.validateSchema(schema)).toBe(true);
      expect(() => ajv.compile(schema)).not.toThrow();
    },
  );

  test.each(declarations.schemas)('$name/$version is returned itself', async ({ name, version, schema }) => {
    const { status, body } = await call(api, 'GET', `/schemas/${name}/${version}`, { as: nobody });
    expect(status).toBe(200);
    expect(body).toEqual(schema);
  });

  test('answer 404 for an unknown name or version', async () => {
    for (const path of ['/schemas/workflow-blob/v9', '/schemas/constructor/v1', '/schemas/x/..%2F..%2Fv1']) {
      const answer = await call(api, 'GET', path, { as: nobody });
      expect(answer).toMatchObject({ status: 404, body: { message: 'Not found.' } });
    }
  });
});
