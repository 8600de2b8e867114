import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { sha384 } from '#test/themes/extension-site.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';
import { asUser, place, type Placed } from './placed-block.ts';

let api: TestApp;
let placed: Placed;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await haveTheme(api, '2.1.0');
});
// Its site is gone with the test.
test.beforeEach(async () => {
  placed = await place(api);
});

interface Page {
  data: { name: string; html: string; status: string; reason: string | null }[];
  stylesheets: { href: string; integrity: string }[];
  scripts: { src: string; integrity: string }[];
  errors?: Record<string, string[]>;
}

const ask = async (payload: object) => {
  const headers = await asUser(api);
  const response = await api.app.inject({ method: 'POST', url: '/theme/blocks', headers, payload });
  return { status: response.statusCode, page: response.json<Page>() };
};

describe('the blocks of a page', () => {
  test('are in their order, with each stylesheet and script once', async () => {
    const { name, list, site } = placed;
    const other = await place(api);
    const blocks = [{ name: list }, { name, props: { most: 1 } }, { name: other.list }, { name, props: { most: 2 } }];
    const { status, page } = await ask({ page_type: 'page', blocks });
    expect(status).toBe(200);
    expect(page.data).toEqual(
      blocks.map(({ name }) => ({
        name,
        html: expect.stringMatching(/^<(p|ul)>/) as string,
        status: 'rendered',
        reason: null,
      })),
    );
    const root = ({ vendor, name }: { vendor: string; name: string }) => `/_ext/${vendor}/${name}/1.0.0/assets/reviews`;
    const css = sha384(site.files['/assets/reviews.css'] as string);
    expect(page.stylesheets).toEqual([
      { href: `${root(site.manifest)}.css`, integrity: css },
      { href: `${root(other.site.manifest)}.css`, integrity: css },
    ]);
    const integrity = sha384(site.files['/assets/reviews.js'] as string);
    expect(page.scripts).toEqual([{ src: `${root(site.manifest)}.js`, integrity }]);
  });

  test('have no assets in the page editor', async () => {
    const { name, list } = placed;
    const { status, page } = await ask({ page_type: 'page', blocks: [{ name }, { name: list }], editor: true });
    expect([status, page.data.map(({ status: block }) => block)]).toEqual([200, ['rendered', 'rendered']]);
    expect(page).toMatchObject({ stylesheets: [], scripts: [] });
    expect((await ask({ page_type: 'page', blocks: [{ name }], editor: 'yes' })).status).toBe(422);
  });

  test('are shown even if one of them fails, is missing, or no longer fits', async () => {
    const hanging = await place(api);
    hanging.answer(() => undefined);
    const failing = await place(api);
    failing.answer((_request, response) => response.writeHead(500).end());
    const gone = await place(api);
    await run(api, 'disableInstallation', { id: gone.installationId });
    const blocks = [
      { name: hanging.name },
      { name: failing.name },
      { name: gone.name },
      { name: placed.name, props: { most: 99 } },
      { name: placed.list },
      { name: placed.name },
    ];
    const before = api.logLines.length;
    const { status, page } = await ask({ page_type: 'product', blocks });
    expect(status).toBe(200);
    expect(page.data.map(({ status, reason }) => reason ?? status)).toEqual([
      'timeout',
      'bad_status',
      'not_in_catalogue',
      'invalid_props',
      'not_enabled',
      'rendered',
    ]);
    expect(page.stylesheets).toHaveLength(1);
    const lines = api.logLines.slice(before).map((line) => JSON.parse(line) as { block?: string; reason?: string });
    expect(lines.filter(({ block }) => block !== undefined)).toHaveLength(5);
  });

  test('are requested concurrently, so that many hanging ones cost their time once', async () => {
    const hanging = await place(api);
    let open = 0;
    let most = 0;
    hanging.answer((_request, response) => {
      most = Math.max(most, (open += 1));
      response.on('close', () => (open -= 1));
    });
    const blocks = Array.from({ length: 9 }, (_, at) => ({ name: hanging.name, props: { most: at + 1 } }));
    const { page } = await ask({ page_type: 'product', blocks: [...blocks, { name: placed.name }] });
    expect(page.data.map(({ reason }) => reason)).toEqual([...Array.from({ length: 9 }, () => 'timeout'), null]);
    expect(most).toBe(9);
  });
});

describe('a page is refused', () => {
  const block = { name: 'ext__acme__reviews__stars' };
  test.each([
    ['without a type', { blocks: [block] }, 'page_type'],
    ['without blocks', { page_type: 'page' }, 'blocks'],
    ['with an empty list', { page_type: 'page', blocks: [] }, 'blocks'],
    ['with 51 blocks', { page_type: 'page', blocks: Array.from({ length: 51 }, () => block) }, 'blocks'],
    ['with props that are a list', { page_type: 'page', blocks: [block, { ...block, props: [] }] }, 'blocks.1.props'],
    [
      'with props over 8 KiB',
      { page_type: 'page', blocks: [{ ...block, props: { a: 'x'.repeat(8_192) } }] },
      'blocks.0.props',
    ],
  ])('%s', async (_what, payload, field) => {
    const { status, page } = await ask(payload);
    expect({ status, fields: Object.keys(page.errors ?? {}) }).toEqual({ status: 422, fields: [field] });
  });
});
