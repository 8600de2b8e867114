import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { ApiDescription, ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import { findMisfit } from '#src/automation/firings/message-fit.rules.ts';
import { checkFieldValues } from '#src/automation/node-api/field-values.rules.ts';
import type { CredentialTypeManifest, NodeManifest } from '#src/automation/node-api/manifest.ts';
import { nodeManifestV0DraftSchema } from '#src/automation/packages/schemas/node-manifest.v0-draft.schema.ts';
import { compileSchema } from '#src/infra/json-schema/compile-schema.ts';
import { writeBatchAnswer } from '#test/automation/connectors/calls/batch-service.ts';
import { startCalls } from '#test/automation/connectors/calls/sent-calls.ts';
import { EnvelopeCheck } from './envelope-faults.ts';
import { sampleConfig, samplePayload } from './sample-values.ts';

// The folder beside the checkout that holds real descriptions, if there is one.
const folder = join(import.meta.dirname, '../../../../../shared/specs');
const files = [
  'adyen-checkout-payments-openapi31.json',
  'adyen-dispute-openapi31.json',
  'adyen-management-webhooks-openapi31.json',
  'akeneo-postman.json',
  'asyncapi3-adeo-kafka.yml',
  'asyncapi3-operation-security.yml',
  'billbee-custom-shop-postman.json',
  'billbee-swagger20.yaml',
  'business-central-v2-openapi30.json',
  'chatwoot-openapi30.json',
  'shopware-admin-order-openapi31.json',
  'weclapp-salesorder-article-openapi31.json',
  'xentral-salesorders-openapi31.json',
  'odata-trippin-v4.edmx',
  'sap-api-sales-order-v4.edmx',
  'sap-multiple-schemas-v4.edmx',
  'sap-test-v2.edmx',
  'sap-test-v4.edmx',
  'shopify-function-discount.graphql',
  'soap-list-parameter.wsdl',
  'soap-multi-service.wsdl',
  'soap-recursive.wsdl',
  'soap-rpc.wsdl',
];
const calls = await startCalls();
const checkManifest = compileSchema<NodeManifest>(nodeManifestV0DraftSchema);

const envelopeNamespaces: Readonly<Record<string, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

/** Keywords that forms do not show, so that a sample may violate them. */
const unknownRules = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'format',
  'exclusiveMinimum',
  'not',
  'minProperties',
  'maxProperties',
  'pattern',
]);

/** Lists the faults that a server would see in the call of an operation's node with a filled-in form. */
async function findFaults(
  node: NodeManifest,
  operation: ApiOperation,
  { definitions }: ApiDescription,
  types: readonly CredentialTypeManifest[],
  envelopes: EnvelopeCheck | undefined,
): Promise<string[]> {
  const { call, config: fields = [] } = node;
  const soap = envelopeNamespaces[call?.soap?.version ?? ''];
  if (soap !== undefined)
    calls.answerWith(() => ({
      type: 'text/xml',
      body: `<e:Envelope xmlns:e="${soap}"><e:Body>${'<r/>'.repeat(call?.soap?.output.length ?? 0)}</e:Body></e:Envelope>`,
    }));
  if (call?.body?.as === 'change_set') calls.answerWith(() => writeBatchAnswer([{ status: 204 }]));
  if (!call) return ['There is no call.'];
  const checked = checkManifest(node);
  if (!checked.ok) return checked.issues.map(({ pointer, message }) => `${pointer} ${message}`);
  const config = sampleConfig(fields);
  const issues = checkFieldValues(fields, config);
  if (issues.length > 0) return issues.map(({ message }) => message);
  const credential = fields.find(({ type }) => type === 'credentials-ref');
  const type = types.find(({ slug }) => slug === credential?.credential_types?.[0]);
  const secrets = Object.fromEntries((type?.fields ?? []).map(({ key }) => [key, `${key}-value`]));
  const own = { ...secrets, base_url: calls.url, access_token: 'access_token-value' };
  const { branch } = await calls.send({ ...call, base_url: calls.url }, config, {
    ...(type && { credential: { sends: type.sends ?? [], fields: own } }),
  });
  const { method, url, headers, text } = calls.last();
  const { pathname, searchParams } = new URL(url, calls.url);
  const faults: string[] = [];
  if (branch !== 'success') faults.push(`It went on along ${branch}.`);
  if (method !== operation.method.toUpperCase()) faults.push(`It was sent as ${method}.`);
  const template = operation.path.split('?')[0]?.split(/\{[^}]*\}/) ?? [];
  const escaped = template.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  if (!new RegExp(`^${escaped.join('.+') || '/'}$`, 'u').test(decodeURI(pathname)))
    faults.push(`It was sent to ${pathname}.`);
  const names = [...searchParams.keys()];
  for (const { name, in: place, required } of operation.parameters) {
    if (!required) continue;
    const isThere =
      place === 'path' ||
      (place === 'header' && headers[name.toLowerCase()] !== undefined) ||
      (place === 'query' && names.some((each) => each === name || each.startsWith(`${name}[`))) ||
      (place === 'cookie' && String(headers['cookie']).includes(`${name}=`));
    if (!isThere) faults.push(`${name} is not in the ${place}.`);
  }
  for (const use of type?.sends ?? []) {
    // A client certificate belongs to the connection, not to the request.
    if (use.as === 'certificate') continue;
    const isThere =
      use.as === 'basic' || use.as === 'bearer'
        ? /^(Basic|Bearer) ./.test(String(headers['authorization']))
        : use.as === 'header'
          ? String(headers[use.name.toLowerCase()]).endsWith(`${use.field}-value`)
          : use.as === 'username_token'
            ? text.includes(`${use.password}-value`)
            : use.as === 'query'
              ? searchParams.get(use.name)?.endsWith(`${use.field}-value`) === true
              : String(headers['cookie']).includes(`${use.field}-value`);
    if (!isThere) faults.push(`The credential is not sent as ${use.as}.`);
  }
  if (soap !== undefined) faults.push(...(envelopes?.faults(operation.title, text, soap) ?? []));
  const content = operation.body?.content.find(({ mediaType }) => mediaType === call.body?.media_type);
  if (call.body?.as === 'json' && content) {
    const body: unknown = JSON.parse(text);
    if (!operation.fixedBody) expect(body).toEqual(config['body']);
    const fits = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, inlineRefs: false });
    const check = fits.compile({ ...content.schema, $defs: definitions });
    if (!check(body)) faults.push(...listErrors(check.errors ?? []));
  }
  return faults;
}

const listErrors = (errors: readonly ErrorObject[]): string[] =>
  errors
    .filter(({ keyword }) => !unknownRules.has(keyword))
    .map(({ instancePath, message }) => `${instancePath} ${message}`);

test.runIf(existsSync(folder)).each(files)(
  '%s: every operation becomes a node whose call a server understands, and every message a sample that is accepted',
  { timeout: 120_000 },
  async (name) => {
    const description = await readDescription(await readFile(join(folder, name)));
    const { nodes, credentialTypes, messages } = makePackage(description, { all: true }, 'real');
    const wrong: Record<string, string[]> = {};
    const envelopes = name.endsWith('.wsdl')
      ? new EnvelopeCheck(await readFile(join(folder, name), 'utf8'))
      : undefined;
    for (const node of nodes) {
      const operation = description.operations.find((each) => `real:${each.name}` === node.slug) as ApiOperation;
      const faults = await findFaults(node, operation, description, credentialTypes, envelopes).catch(
        (error: unknown) => [String(error)],
      );
      if (faults.length > 0) wrong[operation.name] = faults.slice(0, 3);
    }
    for (const { slug, schema } of messages) {
      const misfit = findMisfit(schema, samplePayload(schema));
      if (misfit !== undefined) wrong[slug] = [misfit];
    }
    expect(messages.length).toBe(description.messages?.length ?? 0);
    expect({ count: nodes.length, wrong }).toEqual({ count: description.operations.length, wrong: {} });
  },
);

test.runIf(existsSync(folder))('each description is in the table', () => {
  const kept = readdirSync(folder).filter((file) => /\.(json|ya?ml|edmx|wsdl|graphql)$/.test(file));
  expect(files.toSorted()).toEqual(kept.toSorted());
});
