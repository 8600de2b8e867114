import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';

// The folder beside the checkout that holds real descriptions, if there is one.
const folder = new URL('../../../../../shared/specs/', import.meta.url);
const read = (file: string): Buffer => readFileSync(new URL(file, folder));

/** The number of operations and messages, the number of skipped ones, and the security alternatives of the operations. */
const table: [file: string, operations: number, skipped: number, security: string[]][] = [
  ['adyen-checkout-payments-openapi31.json', 3, 0, ['BasicAuth', 'ApiKeyAuth']],
  ['adyen-dispute-openapi31.json', 5, 0, ['BasicAuth', 'ApiKeyAuth']],
  ['adyen-management-webhooks-openapi31.json', 5, 0, []],
  ['akeneo-postman.json', 135, 0, ['bearer', 'basic']],
  // Its payloads are described in Avro, and its channels use Kafka.
  ['asyncapi3-adeo-kafka.yml', 0, 3, []],
  ['asyncapi3-operation-security.yml', 1, 0, []],
  ['billbee-custom-shop-postman.json', 8, 0, ['basic']],
  ['billbee-swagger20.yaml', 80, 0, ['basicAuth+ApiKeyAuth']],
  ['business-central-v2-openapi30.json', 66, 0, ['oAuth']],
  ['chatwoot-openapi30.json', 115, 0, ['platformAppApiKey', 'agentBotApiKey', 'userApiKey', '']],
  ['odata-trippin-v4.edmx', 31, 0, ['basic', 'bearer', '']],
  ['sap-api-sales-order-v4.edmx', 66, 0, ['basic', 'bearer', '']],
  ['sap-multiple-schemas-v4.edmx', 25, 0, ['basic', 'bearer', '']],
  ['sap-test-v2.edmx', 86, 0, ['basic', 'bearer', '']],
  // Entities without keys, and imports of actions that are missing or bound.
  ['sap-test-v4.edmx', 92, 7, ['basic', 'bearer', '']],
  ['shopify-function-discount.graphql', 12, 0, ['bearer', '']],
  ['shopware-admin-order-openapi31.json', 9, 0, ['oAuth']],
  ['soap-list-parameter.wsdl', 17, 0, ['basic', 'usernameToken', 'bearer', '']],
  ['soap-multi-service.wsdl', 3, 0, ['basic', 'usernameToken', 'bearer', '']],
  ['soap-recursive.wsdl', 1, 0, ['basic', 'usernameToken', 'bearer', '']],
  ['soap-rpc.wsdl', 13, 0, ['basic', 'usernameToken', 'bearer', '']],
  ['weclapp-salesorder-article-openapi31.json', 42, 0, ['api-token']],
  ['xentral-salesorders-openapi31.json', 20, 0, ['BearerAuth']],
];

test.runIf(existsSync(folder)).each(table)('%s: no operation is lost', async (file, operations, skipped, security) => {
  const api = await readDescription(read(file));
  expect([api.operations.length + (api.messages?.length ?? 0), api.skipped.length]).toEqual([operations, skipped]);
  const alternatives = api.operations.flatMap((operation) =>
    operation.security.length === 0 ? [''] : operation.security.map((names) => names.join('+')),
  );
  expect(new Set(alternatives)).toEqual(new Set(security));
  const used = new Set(api.operations.flatMap((operation) => operation.security.flat()));
  expect(new Set(Object.keys(api.security))).toEqual(used);
});

test.runIf(existsSync(folder)).each(table)(
  '%s: every schema is valid and every reference leads somewhere',
  async (file) => {
    const api = await readDescription(read(file));
    const schemas = [
      ...(api.messages ?? []).map(({ schema }) => schema),
      ...api.operations.flatMap(({ parameters, body, answers }) => [
        ...parameters.map(({ schema }) => schema),
        ...[body?.content ?? [], ...answers.map(({ content }) => content)].flat().map(({ schema }) => schema),
      ]),
    ];
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    // Throws for an invalid schema and for a reference without a target.
    ajv.compile({ $defs: api.definitions, anyOf: [...schemas, {}] });
    const text = JSON.stringify([schemas, api.definitions]);
    const references = [...text.matchAll(/"#\/\$defs\/([^"]*)"/g)].map(([, name]) => name);
    expect(new Set(references)).toEqual(new Set(Object.keys(api.definitions)));
    expect([...text.matchAll(/"\$ref":"(?!#\/\$defs\/)/g)]).toEqual([]);
  },
);

test.runIf(existsSync(folder)).each(table)('%s: the same bytes give the same description', async (file) => {
  const [first, second] = [await readDescription(read(file)), await readDescription(read(file))];
  expect(JSON.stringify(first)).toBe(JSON.stringify(second));
});

test.runIf(existsSync(folder)).each(table)('%s: names and texts are short, plain and unique', async (file) => {
  const api = await readDescription(read(file));
  const names = api.operations.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z\d]+(?:-[a-z\d]+)*$/);
  expect(Math.max(0, ...names.map(({ length }) => length))).toBeLessThanOrEqual(64);
  for (const { title, summary } of api.operations) {
    expect(title).toMatch(/^[^\n<]{1,80}$/);
    expect(summary).toMatch(/^[^\n<]{0,200}$/);
  }
  for (const name of Object.keys(api.definitions)) expect(name).toMatch(/^[A-Za-z\d][\w.-]{0,63}$/);
});

test.runIf(existsSync(folder))('each description of a kind that is read is in the table', () => {
  const files = readdirSync(folder).filter((file) => /openapi|swagger|postman|graphql|edmx|wsdl|asyncapi/.test(file));
  expect(table.map(([file]) => file)).toEqual(files.toSorted());
});

test.runIf(existsSync(folder)).each([
  // Each schema of a cycle of 127 schemas is kept once.
  ['shopware-admin-order-openapi31.json', 167, 400_000],
  // Resolving every reference made this description 35 times as large.
  ['business-central-v2-openapi30.json', 59, 600_000],
])('%s: circular definitions are kept as references', async (file, definitions, maxSize) => {
  const api = await readDescription(read(file));
  expect(Object.keys(api.definitions)).toHaveLength(definitions);
  expect(JSON.stringify(api).length).toBeLessThan(maxSize);
});
