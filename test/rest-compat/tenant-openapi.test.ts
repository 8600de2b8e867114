import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { callPlatform, everyPlatformRoute } from './rest.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Description {
  openapi: string;
  paths: Record<string, Record<string, { parameters?: { name: string; schema: object }[] }>>;
  webhooks: Record<string, { post: { requestBody: { content: { 'application/json': { schema: object } } } } }>;
  components: { schemas: Record<string, { properties: object }>; securitySchemes: object };
}

const describedTo = async (tenant: string) =>
  (await callPlatform(api, 'GET', '/openapi.json', { tenant })).body as unknown as Description;

const mutate = async (document: string) => {
  const { data, errors } = await api.graphql(`mutation { ${document} }`);
  expect(errors).toBeUndefined();
  return data as Record<string, { attribute: { id: string } }>;
};

const define = async (input: string) => {
  const made = await mutate(
    `createAttribute(input: { ${input} }) { ... on CreateAttributePayload { attribute { id } } }`,
  );
  return made['createAttribute']?.attribute.id;
};

describe('openapi.json of the platform API', () => {
  test('describes every route, including its own, both headers, and every topic', async () => {
    const { openapi, paths, webhooks, components } = await describedTo('acme-shop');
    expect(openapi).toBe('3.1.0');
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = [...everyPlatformRoute.map(({ name }) => name), 'GET /openapi.json'];
    expect(described.toSorted()).toEqual(served.toSorted());
    expect(components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Platform-Api-Key' },
      tenant: { type: 'apiKey', in: 'header', name: 'X-Platform-Tenant' },
    });
    expect(Object.keys(webhooks)).toEqual(declarations.topics.map(({ name }) => name));
  });

  test('has only the current attributes of the caller’s tenant', async () => {
    const id = await define('target: PRODUCT, code: "colour", type: SELECT, options: ["red"], label: "Colour"');
    const properties = async (tenant: string) =>
      (await describedTo(tenant)).components.schemas['ProductAttributes']?.properties;
    expect(await properties('acme-shop')).toEqual({ colour: { type: 'string', enum: ['red'], title: 'Colour' } });
    expect(await properties('acme-outlet')).toEqual({});
    await mutate(`updateAttribute(input: { id: "${id}", options: ["red", "blue"] }) { __typename }`);
    expect(await properties('acme-shop')).toMatchObject({ colour: { enum: ['red', 'blue'] } });
    const { parameters = [] } = (await describedTo('acme-shop')).paths['/products']?.['get'] ?? {};
    expect(parameters.find(({ name }) => name === 'attributes.colour')?.schema).toMatchObject({
      enum: ['red', 'blue'],
    });
    await mutate(`deleteAttribute(input: { id: "${id}" }) { __typename }`);
    expect(await properties('acme-shop')).toEqual({});
  });

  test('describes a product and its event with those attributes', async () => {
    await define('target: PRODUCT, code: "weight", type: NUMBER');
    await mutate('createProduct(input: { sku: "TYPED", name: "Typed", attributes: { weight: 2.5 } }) { __typename }');
    const { components, webhooks } = await describedTo('acme-shop');
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    const fits = (schema: object | undefined, value: unknown) => ajv.compile({ ...schema, components })(value);
    const [product] = (await callPlatform(api, 'GET', '/products?search=TYPED')).body['items'] as unknown as object[];
    expect(fits(components.schemas['Product'], product)).toBe(true);
    expect(fits(components.schemas['Product'], { ...product, attributes: { weight: 'heavy' } })).toBe(false);
    const envelope = { tenant_id: 'acme-shop', topic: 'product.created', id: '1', metadata: {}, time: '2026-01-01' };
    const event = webhooks['product.created']?.post.requestBody.content['application/json'].schema;
    expect(fits(event, { ...envelope, data: product })).toBe(true);
    expect(fits(event, { ...envelope, data: { ...product, attributes: { weight: 'heavy' } } })).toBe(false);
  });
});
