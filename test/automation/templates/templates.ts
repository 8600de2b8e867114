import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import type { TestApp } from '#test/setup/app.ts';

const hole = (key: string) => ({ $placeholder: key });

/** The template `shop:to-erp`: one node, an address that must be given, a token and a limit that need not. */
export const templateIn = (version: string, more: object = {}) => ({
  slug: 'shop:to-erp',
  version,
  name: `To the ERP ${version}`,
  description: 'Sends orders on.',
  icon: 'images/logo.svg',
  images: [{ src: 'images/logo.svg', alt: { en: 'Logo' }, category: 'logo' }],
  placeholders: [
    { key: 'url', kind: 'value', label: 'Address' },
    { key: 'limit', kind: 'value', required: false, default: 5 },
    { key: 'token', kind: 'credential', required: true, credential_types: ['core:bearer', 'core:basic'] },
    { key: 'spare', kind: 'credential', required: false, help: 'Rarely needed.', credential_types: ['core:basic'] },
  ],
  blob: {
    version: 'v1',
    nodes: [
      {
        id: 'send',
        node: 'core:http-request',
        version: '1.0.0',
        config: { url: hole('url'), query: { limit: hole('limit'), spare: hole('spare') }, credential: hole('token') },
      },
    ],
    edges: [],
  },
  ...more,
});

/** Registers the core package and one package `shop` a template. */
export async function registerTemplates({ deps }: TestApp, ...templates: object[]): Promise<void> {
  await registerBuiltinPackages(deps);
  for (const [index, template] of templates.entries()) {
    const version = `1.0.${index}`;
    const archive = packageArchive({
      name: 'shop',
      version,
      namespace: 'shop',
      nodes: [],
      more: {
        'causeway.json': JSON.stringify({
          namespace: 'shop',
          label: 'Shop',
          templates: ['templates/a.json'],
          images: ['images/logo.svg'],
        }),
        'templates/a.json': JSON.stringify(template),
        'images/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
    });
    const registered = await registerNodePackage(deps, { orgId: 'acme', archive });
    if (!registered.created) throw new Error(`Version ${version} of the package was there already.`);
  }
}

/** A credential whose config nothing in these tests opens; answers its id. */
export async function makeCredential({ database }: TestApp, tenantId: string, type: string): Promise<number> {
  const { id } = await database.withTenant(tenantId, (tx) =>
    tx.credential.create({
      data: {
        tenantId,
        name: `A ${type}`,
        credentialTypeSlug: type,
        publicConfig: {},
        config: Buffer.from('sealed'),
        configKeyVersion: 1,
      },
      select: { id: true },
    }),
  );
  return Number(id);
}
