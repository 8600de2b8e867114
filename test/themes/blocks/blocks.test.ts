import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { serveExtension } from '#test/themes/extension-site.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
});

let installed: Promise<unknown> | undefined;
test.beforeEach(() => (installed ??= install()));

async function install(): Promise<void> {
  await haveTheme(api, '2.1.0');
  const site = await serveExtension(api, { name: 'shown', type: 'private' });
  const { extension } = await run(api, 'registerExtension', { url: site.url });
  await run(api, 'installExtension', { extensionId: extension?.id });
}

const get = async (query: string, headers: Record<string, string>) => {
  const answer = await api.app.inject({ method: 'GET', url: `/theme/blocks${query}`, headers });
  return { status: answer.statusCode, body: answer.json() };
};
const withToken = async (tenant = 'acme-shop') => ({
  authorization: `Bearer ${await api.token({ roles: ['user'] })}`,
  'x-tenant-id': tenant,
});

const stars = {
  name: 'ext__acme__shown__stars',
  title: 'Stars',
  description: 'How many stars it has.',
  enabled_on: ['product', 'page'],
  settings: [
    { key: 'heading', type: 'text', label: 'Heading', default: 'Reviews', placeholder: 'Reviews' },
    {
      key: 'unit',
      type: 'radios',
      label: 'Unit',
      options: [
        { value: 'stars', label: 'Stars' },
        { value: 'hearts', label: 'Hearts' },
      ],
      default: 'stars',
    },
    { key: 'most', type: 'range', label: 'Most', min: 1, max: 10, step: 1 },
    { key: 'colour', type: 'color', label: 'Colour', default: '#fa0' },
  ],
  javascript: true,
  stylesheet: '/_ext/acme/shown/1.0.0/assets/reviews.css',
  script: '/_ext/acme/shown/1.0.0/assets/reviews.js',
  extension: { id: expect.any(Number), vendor: 'acme', name: 'shown', version: '1.0.0', title: 'Reviews' },
};

describe('the catalogue', () => {
  test('lists the blocks of a theme by name, with their settings in the order of the manifest', async () => {
    const { status, body } = await get('?theme=acme/starter', await withToken());
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [expect.objectContaining({ title: 'List', description: null, script: null }), stars],
    });
    expect(body.data[1].settings.map(({ key }: { key: string }) => key)).toEqual(['heading', 'unit', 'most', 'colour']);
  });

  test('is limited to one theme, and to one type of page if requested', async () => {
    const titles = async (query: string) => {
      const { body } = await get(query, await withToken());
      return body.data.map(({ title }: { title: string }) => title);
    };
    expect(await titles('?theme=acme/starter&page_type=product')).toEqual(['Stars']);
    expect(await titles('?theme=acme/starter&page_type=region')).toEqual([]);
    expect(await titles('?theme=acme/other')).toEqual([]);
    expect(await get('', await withToken())).toMatchObject({
      status: 422,
      body: { errors: { theme: [expect.any(String)] } },
    });
  });

  test('reads the versions of its blocks in one statement, without their manifests', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const { status } = await get('?theme=acme/starter', await withToken());
    const asked = (query.mock.calls as unknown as (string | { text?: string })[][]).map(([statement]) =>
      typeof statement === 'string' ? statement : (statement?.text ?? ''),
    );
    query.mockRestore();
    const reads = asked.filter((text) => text.includes('FROM "public"."extensions"'));
    expect({ status, reads }).toEqual({ status: 200, reads: [expect.not.stringContaining('manifest')] });
  });

  test('is readable only with an API key with scope theme:read', async () => {
    const withKey = async (scope: string) => ({
      'x-platform-api-key': await api.apiKey([scope]),
      'x-platform-tenant': 'acme-shop',
    });
    expect(await get('?theme=acme/starter', await withKey('theme:read'))).toMatchObject({ status: 200 });
    expect(await get('?theme=acme/starter', await withKey('orders:read'))).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect(await get('?theme=acme/starter', {})).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    const { body } = await get('?theme=acme/starter', await withToken('acme-outlet'));
    expect(body).toEqual({ data: [] });
  });

  test('is paged by name in the graph, in both directions', async () => {
    const page = async (args: string) => {
      const { data } = await api.graphql<{ blocks: { edges: { cursor: string; node: { name: string } }[] } }>(
        `{ blocks(theme: "acme/starter", ${args}) { edges { cursor node { name extension { title } } } } }`,
      );
      return data.blocks.edges;
    };
    const [first] = await page('first: 1');
    expect(first?.node.name).toBe('ext__acme__shown__list');
    expect(await page(`first: 5, after: "${first?.cursor}"`)).toMatchObject([{ node: { name: stars.name } }]);
    expect(await page('last: 1')).toMatchObject([{ node: { name: stars.name } }]);
  });

  test('has no block of a theme out of range, until it is back; a prerelease is only in a range that names it', async () => {
    const count = async (version: string) => {
      await haveTheme(api, version);
      return (await get('?theme=acme/starter', await withToken())).body.data.length;
    };
    expect(await count('3.0.0')).toBe(0);
    expect(await count('2.2.0-beta.1')).toBe(0);
    expect(await count('2.9.0')).toBe(2);
    await run(api, 'uninstallTheme', { theme: 'acme/starter' });
    expect((await get('?theme=acme/starter', await withToken())).body.data).toEqual([]);
    expect(await count('2.1.0')).toBe(2);
  });
});
