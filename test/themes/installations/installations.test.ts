import { describe, expect } from 'vitest';
import { lockExtension, setStatus } from '#src/themes/extensions/extensions.store.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type ExtensionSite, serveExtension } from '#test/themes/extension-site.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await haveTheme(api, '2.1.0');
});

const register = async ({ url }: ExtensionSite) => (await run(api, 'registerExtension', { url })).extension;
const publish = (id?: string) => run(api, 'publishExtension', { id });
const install = (extensionId?: string, tenant = 'acme-shop') =>
  run(api, 'installExtension', { extensionId }, { tenant });

/** A published version at a site, and the site. */
async function published(given: Parameters<typeof serveExtension>[1] = {}) {
  const site = await serveExtension(api, given);
  const extension = await register(site);
  await publish(extension?.id);
  return { site, id: extension?.id as string, databaseId: extension?.databaseId };
}

const installedIn = async (tenantId: string): Promise<number> =>
  api.database.withTenant(tenantId, (tx) =>
    tx.installation.count({ where: { tenantId, status: { not: 'uninstalled' } } }),
  );

const findEvents = async (name: string) =>
  (
    await api.database.system.query<{ topic: string }>(
      `SELECT topic FROM outbox_events WHERE topic LIKE 'installation.%' AND data -> 'extension' ->> 'name' = $1 ORDER BY id`,
      [name],
    )
  ).rows.map(({ topic }) => topic);

const names = async (as: object = {}) => {
  const { data } = await api.graphql<{ blocks: { edges: { node: { name: string } }[] } }>(
    '{ blocks(theme: "acme/starter") { edges { node { name } } } }',
    {},
    as,
  );
  return data.blocks.edges.map(({ node }) => node.name);
};

describe('an installation', () => {
  test('pins a version, and is upgraded, disabled, enabled and uninstalled', async () => {
    const { site, id } = await published();
    const { vendor, name } = site.manifest;
    const first = await install(id);
    expect(first).toMatchObject({ installation: { status: 'INSTALLED', extension: { version: '1.0.0' } } });
    const installationId = first.installation?.id;
    site.manifest = { ...site.manifest, version: '1.1.0' };
    const next = await register(site);
    expect(await run(api, 'upgradeInstallation', { id: installationId, extensionId: next?.id })).toMatchObject({
      code: 'CONFLICT',
    });
    await publish(next?.id);
    expect(await run(api, 'upgradeInstallation', { id: installationId, extensionId: next?.id })).toMatchObject({
      installation: { id: installationId, status: 'INSTALLED', extension: { version: '1.1.0' } },
    });
    const mine = [`ext__${vendor}__${name}__list`, `ext__${vendor}__${name}__stars`];
    expect(await names()).toEqual(expect.arrayContaining(mine));
    const listBlocks = async () => (await names()).filter((each) => mine.includes(each));
    expect(await run(api, 'disableInstallation', { id: installationId })).toMatchObject({
      installation: { status: 'DISABLED' },
    });
    expect(await listBlocks()).toEqual([]);
    await run(api, 'disableInstallation', { id: installationId });
    await run(api, 'enableInstallation', { id: installationId });
    expect(await listBlocks()).toEqual(mine);
    expect(await run(api, 'uninstallExtension', { installationId })).toMatchObject({
      installation: { status: 'UNINSTALLED' },
    });
    expect(await listBlocks()).toEqual([]);
    for (const field of ['disableInstallation', 'enableInstallation']) {
      expect(await run(api, field, { id: installationId })).toMatchObject({ code: 'CONFLICT' });
    }
    expect(await run(api, 'uninstallExtension', { installationId })).toMatchObject({ code: 'CONFLICT' });
    const again = await install(id);
    expect(again.installation?.id).not.toBe(installationId);
    expect(await findEvents(name)).toEqual([
      'installation.created',
      'installation.upgraded',
      'installation.disabled',
      'installation.enabled',
      'installation.removed',
      'installation.created',
    ]);
  });

  test('is refused while a version of the same extension is installed, even for ten concurrent calls', async () => {
    const { id } = await published();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => install(id)));
    expect(outcomes.filter(({ installation }) => installation)).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === 'CONFLICT')).toHaveLength(9);
  });

  test('is refused if the theme is not installed or out of range', async () => {
    const elsewhere = await published({ target: { theme: 'acme/other', version: '*' } });
    expect(await install(elsewhere.id)).toMatchObject({
      code: 'CONFLICT',
      message: 'Its theme acme/other is not installed; install a version in * first.',
    });
    const later = await published({ target: { theme: 'acme/starter', version: '>=3' } });
    expect(await install(later.id)).toMatchObject({
      code: 'CONFLICT',
      message: 'It is built for acme/starter >=3, and 2.1.0 is installed.',
    });
  });

  test('is refused, like an upgrade, if the version is withdrawn in the meantime', async () => {
    const { site, id } = await published();
    const { installation } = await install(id);
    site.manifest = { ...site.manifest, version: '1.1.0' };
    const next = await register(site);
    await publish(next?.id);
    await run(api, 'installTheme', { theme: 'acme/starter', version: '2.1.0' }, { tenant: 'acme-outlet' });
    const outcomes = await api.database.withSystem(async (tx) => {
      const extension = await lockExtension(tx, BigInt(next?.databaseId ?? 0));
      if (!extension) throw new Error('It is registered.');
      await setStatus(tx, { ...extension, status: 'withdrawn' });
      const begun = [
        install(next?.id, 'acme-outlet'),
        run(api, 'upgradeInstallation', { id: installation?.id, extensionId: next?.id }),
      ];
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
      await expect.poll(async () => (await tx.query(waiting)).rowCount, { timeout: 10_000 }).toBe(2);
      return { begun };
    });
    expect(await Promise.all(outcomes.begun)).toMatchObject([{ code: 'CONFLICT' }, { code: 'CONFLICT' }]);
  });

  test('is one of at most 200, even for concurrent calls', async () => {
    const tenant = 'acme-outlet';
    await run(api, 'installTheme', { theme: 'acme/starter', version: '2.1.0' }, { tenant });
    const last = await Promise.all(Array.from({ length: 6 }, () => published()));
    const present = await installedIn(tenant);
    await api.database.withTenant(tenant, (tx) =>
      tx.query(
        `INSERT INTO extension_installations (tenant_id, extension_id, vendor, name)
         SELECT $1, $2, 'acme', 'held-' || at FROM generate_series(1, $3) at`,
        [tenant, last[0]?.databaseId, 198 - present],
      ),
    );
    const outcomes = await Promise.all(last.map(({ id }) => install(id, tenant)));
    await api.database.withTenant(tenant, (tx) =>
      tx.query(`UPDATE extension_installations SET status = 'uninstalled' WHERE name LIKE 'held-%'`),
    );
    expect(outcomes.filter(({ installation }) => installation)).toHaveLength(2);
    const refused = outcomes.filter(({ code }) => code === 'VALIDATION_FAILED');
    expect(refused.map(({ fields }) => fields?.map(({ path }) => path))).toEqual(
      Array.from({ length: 4 }, () => ['extensionId']),
    );
  });

  test('cannot be upgraded to another extension', async () => {
    const one = await published();
    const other = await published();
    const { installation } = await install(one.id);
    const outcome = await run(api, 'upgradeInstallation', { id: installation?.id, extensionId: other.id });
    expect(outcome).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('is of acme/reviews-') });
  });
});

describe('permission to install', () => {
  test('nobody may install a public draft: its owner is told to have it published, others get a 404', async () => {
    const draft = await register(await serveExtension(api));
    expect(await install(draft?.id)).toMatchObject({ code: 'CONFLICT' });
    expect(await install(draft?.id, 'acme-outlet')).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('only its owner may install a private one, without publication', async () => {
    const site = await serveExtension(api, { type: 'private' });
    const extension = await register(site);
    await run(api, 'installTheme', { theme: 'acme/starter', version: '2.1.0' }, { tenant: 'acme-outlet' });
    expect(await publish(extension?.id)).toMatchObject({ code: 'CONFLICT' });
    expect(await install(extension?.id, 'acme-outlet')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await install(extension?.id)).toMatchObject({ installation: { status: 'INSTALLED' } });
  });

  test('every tenant with the theme may install a published one, and nobody a withdrawn one', async () => {
    const { id } = await published();
    await run(api, 'installTheme', { theme: 'acme/starter', version: '2.1.0' }, { tenant: 'acme-outlet' });
    expect(await install(id, 'acme-outlet')).toMatchObject({ installation: { status: 'INSTALLED' } });
    await run(api, 'withdrawExtension', { id });
    expect(await install(id)).toMatchObject({ code: 'CONFLICT' });
  });

  test('is found from every version of its extension, by the tenant that has it', async () => {
    const { site, id } = await published();
    site.manifest = { ...site.manifest, version: '1.1.0' };
    const next = await register(site);
    const find = async (as: object = {}) => {
      const { data } = await api.graphql<{
        extension: { installation: { extension: { version: string } } | null } | null;
      }>('query ($id: ID!) { extension(id: $id) { installation { extension { version } } } }', { id: next?.id }, as);
      return data.extension?.installation?.extension.version ?? null;
    };
    expect(await find()).toBeNull();
    const { installation } = await install(id);
    expect(await find()).toBe('1.0.0');
    for (const tenant of ['acme-outlet', null]) expect(await find({ tenant, roles: ['operator'] })).toBeNull();
    expect(await find({ roles: ['operator'] })).toBeNull();
    await run(api, 'uninstallExtension', { installationId: installation?.id });
    expect(await find()).toBeNull();
  });

  test('says why its blocks are hidden, and is found by the name of its extension', async () => {
    const { site, id } = await published();
    const { vendor, name } = site.manifest;
    const { installation } = await install(id);
    const why = async (status?: string[]) => {
      const { data } = await api.graphql<{ installations: { edges: { node: { whyHidden: string | null } }[] } }>(
        'query ($filter: InstallationFilter) { installations(filter: $filter) { edges { node { whyHidden } } } }',
        { filter: { vendor, name, ...(status && { status }) } },
      );
      return data.installations.edges.map(({ node }) => node.whyHidden);
    };
    expect(await why()).toEqual([null]);
    expect(await why(['DISABLED'])).toEqual([]);
    await haveTheme(api, '3.0.0');
    expect(await why()).toEqual(['It is built for acme/starter ^2.1.0, and 3.0.0 is installed.']);
    await run(api, 'uninstallTheme', { theme: 'acme/starter' });
    expect(await why()).toEqual(['Its theme acme/starter is not installed; install a version in ^2.1.0 first.']);
    await haveTheme(api, '2.1.0');
    await run(api, 'disableInstallation', { id: installation?.id });
    expect(await why(['DISABLED', 'INSTALLED'])).toEqual(['It is disabled; enable it to show its blocks.']);
    await run(api, 'withdrawExtension', { id, block: true, reason: 'It leaks.' });
    expect(await why()).toEqual(['The version was blocked: It leaks.']);
    await run(api, 'uninstallExtension', { installationId: installation?.id });
    expect(await why()).toEqual(['It is uninstalled.']);
  });
});
