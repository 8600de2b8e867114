import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import type { OperationChoice } from '#src/automation/connectors/packages/choose-operations.rules.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { credentialTypeRow, nodeRow } from '#src/automation/packages/catalogue-rows.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { type DescribedServer, serveDescription } from './described-server.ts';

const docs = join(import.meta.dirname, '../../../../docs/connectors');
const own = join(import.meta.dirname, 'descriptions');
// The folder beside the checkout that holds real descriptions, if there is one.
const real = join(import.meta.dirname, '../../../../../shared/specs');

/** Where the description of each page comes from; `null`: it is in the page. */
const descriptions: Record<string, string | null> = {
  shopify: join(own, 'shopify-admin.graphql'),
  shopware: join(real, 'shopware-admin-order-openapi31.json'),
  'business-central': join(real, 'business-central-v2-openapi30.json'),
  'sap-s4-sales-order': join(real, 'sap-api-sales-order-v4.edmx'),
  weclapp: join(real, 'weclapp-salesorder-article-openapi31.json'),
  xentral: join(real, 'xentral-salesorders-openapi31.json'),
  odoo: null,
  akeneo: join(real, 'akeneo-postman.json'),
  dhl: join(own, 'dhl-parcel-de-shipping.yaml'),
};

/** The text of the block with this label. */
function readBlock(page: string, label: string): string {
  const found = new RegExp(`^\`\`\`${label}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1];
  if (found === undefined) throw new Error(`The page has no block "${label}".`);
  return found;
}

/** The namespace and the choice of the command in a page. */
function readCommand(page: string): { namespace: string; choice: OperationChoice } {
  const words = readBlock(page, 'sh').trim().split(/\s+/);
  const all = (option: string): string[] => words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
  const [paths, tags] = [all('--path'), all('--tag')];
  return {
    namespace: all('--namespace')[0] ?? '',
    choice: {
      ...(words.includes('--all') && { all: true }),
      ...(paths.length > 0 && { paths }),
      ...(tags.length > 0 && { tags }),
    },
  };
}

async function publish(
  { deps }: Pick<TestApp, 'deps'>,
  { nodes, credentialTypes, namespace }: ReturnType<typeof makePackage>,
): Promise<void> {
  await deps.database.withTenant(null, async (tx) => {
    const { id } = await tx.nodePackage.create({
      data: {
        orgId: 'acme',
        name: `${namespace}-nodes`,
        version: '1.0.0',
        label: namespace,
        digest: namespace,
        build: { status: 'ready', errors: [] },
      },
    });
    await tx.node.createMany({ data: nodes.map((manifest) => nodeRow(id, manifest, null)) });
    await tx.credentialType.createMany({ data: credentialTypes.map((type) => credentialTypeRow(id, type, null)) });
  });
}

let server: DescribedServer | undefined;
afterEach(() => server?.close());

describe('the catalogue of connectors', () => {
  test('has a tested page for each system', async () => {
    expect((await readdir(docs)).toSorted()).toEqual(
      Object.keys(descriptions)
        .map((name) => `${name}.md`)
        .toSorted(),
    );
  });

  for (const [name, file] of Object.entries(descriptions)) {
    test.runIf(file === null || existsSync(file))(
      `${name}: the example runs against a server made from the description`,
      async ({ api }) => {
        await registerBuiltinPackages(api.deps);
        const page = await readFile(join(docs, `${name}.md`), 'utf8');
        const description = await readDescription(
          file === null ? Buffer.from(readBlock(page, 'yaml description')) : await readFile(file),
        );
        const { namespace, choice } = readCommand(page);
        const made = makePackage(description, choice, namespace);
        for (const [slug] of page.matchAll(new RegExp(`(?<=^\\| \`)${namespace}:[\\w-]+`, 'gm')))
          expect(made.nodes.map((node) => node.slug)).toContain(slug);
        await publish(api, made);

        server = await serveDescription(description);
        const credential = readBlock(page, 'json credential').replaceAll(/https:\/\/[^/"]+/g, server.url);
        const created = await call(api, 'POST', '/credentials', { body: JSON.parse(credential) });
        expect(created.status, created.text).toBe(201);

        const blob = readBlock(page, 'json blob').replaceAll('"credential": 1', `"credential": ${created.body['id']}`);
        const workflow = await call(api, 'POST', '/workflows', { body: { name, blob: JSON.parse(blob) } });
        expect(workflow.status, workflow.text).toBe(201);
        const workflowId = Number(workflow.body['id']);
        await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
        const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
          body: { type: 'webhook', name: 'x' },
        });

        const engine = await startTestEngine(api, { allow: new URL(server.url).host });
        try {
          const handle = String(trigger.body['handle']);
          const payload: unknown = JSON.parse(readBlock(page, 'json payload'));
          const run = await untilRun(api, await fireRun(api, { tenantId: 'acme-shop', handle }, payload));
          expect({ faults: server.faults, error: run.error, status: run.status }).toEqual({
            faults: [],
            error: null,
            status: 'succeeded',
          });
          const slugs = [...blob.matchAll(/"node": "[\w-]+:([\w-]+)"/g)].map(([, slug]) => slug);
          expect(new Set(server.called)).toEqual(new Set(slugs));
        } finally {
          await engine.stop();
        }
      },
    );
  }
});
