import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { declarations } from '#src/domains/domains.ts';
import { errorCodes } from '#src/infra/errors.ts';
import { test } from '#test/setup/app-test.ts';
import { callPlatform } from './rest.ts';

const page = await readFile(new URL('../../docs/platform.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, role, text = '']) => ({
  language,
  role,
  text,
}));

/** The response that the page shows; secrets may differ. */
const said = (text: string) =>
  JSON.parse(text, (_name, value: unknown) =>
    value === 'cw_...' ? expect.stringMatching(/^cw_\w{12}_\w{43}$/) : value,
  ) as object;

test('the commands and examples of the page get the shown responses, in order', async ({ api }) => {
  const io = { out: () => undefined, err: () => undefined, env: { DATABASE_URL: api.databaseUrl }, cwd: '/' };
  let key = '';
  for (const [index, { language, role, text }] of blocks.entries()) {
    const answer = blocks[index + 1];
    if (language === 'sh') {
      for (const [, argv = ''] of text.matchAll(/^npm run -s causeway -- (.+)$/gm)) {
        expect([argv, await runCauseway(argv.split(' '), io)]).toEqual([argv, 0]);
      }
    } else if (language === 'graphql') {
      const found = await api.graphql(text, {}, role === 'admin' ? {} : { apiKey: key });
      expect(found).toMatchObject(said(answer?.text ?? ''));
      key = (found.data as { createApiKey?: { secret: string } }).createApiKey?.secret ?? key;
    } else if (language === 'http') {
      const [, method = '', path = '', body = ''] = /^(\S+) \/v1(\S+)\s*([^]*)$/.exec(text) ?? [];
      const { status, body: found } = await callPlatform(api, method, path, { key, ...(body !== '' && { body }) });
      expect([path, status]).toEqual([path, Number(answer?.role)]);
      expect(found).toMatchObject(said(answer?.text ?? ''));
    }
  }
});

test('the page has every scope and says what it allows', () => {
  const rows = [...page.matchAll(/^\| `(\w+:\w+)` \| (.+) \|$/gm)].map(([, name, allows]) => ({ name, allows }));
  expect(rows.toSorted(byName)).toEqual(declarations.scopes.toSorted(byName));
});
const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }) =>
  String(one.name).localeCompare(String(other.name));

test('the page has the status of each code', () => {
  const rows = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, status, code = ''] of rows) {
    expect([code, errorCodes[code as keyof typeof errorCodes].status]).toEqual([code, Number(status)]);
  }
});

interface Page {
  products: {
    pageInfo: { hasNextPage: boolean; endCursor: string };
    edges: { node: { databaseId: number; sku: string } }[];
  };
}

test('the page’s query by cursor returns each product once, and those that change meanwhile again', async ({ api }) => {
  const [document = ''] = blocks.flatMap(({ text }) => (text.startsWith('query Changed') ? [text] : []));
  await api.database.withTenant('acme-outlet', (tx) =>
    tx.query(
      `INSERT INTO products (tenant_id, sku, name, updated_at)
       SELECT 'acme-outlet', 'P-' || n, 'Product', now() - n * interval '1 second' FROM generate_series(1, 250) AS n`,
    ),
  );
  const outlet = await api.apiKey(['*'], 'acme-outlet');
  const read = async (after: string | null) =>
    (await api.graphql<Page>(document, { after }, { apiKey: outlet, tenant: 'acme-outlet' })).data.products;
  const met: string[] = [];
  let after: string | null = null;
  for (let pages = 0, more = true; more && pages < 10; pages += 1) {
    const { pageInfo, edges } = await read(after);
    met.push(...edges.map(({ node }) => node.sku));
    ({ endCursor: after, hasNextPage: more } = pageInfo);
    const [first] = edges;
    if (pages === 0 && first) {
      const body = { name: 'Changed meanwhile' };
      await callPlatform(api, 'PUT', `/products/${first.node.databaseId}`, {
        key: outlet,
        tenant: 'acme-outlet',
        body,
      });
    }
  }
  expect(met).toHaveLength(251);
  expect(new Set(met).size).toBe(250);
  expect([met[0], met.at(-1)]).toEqual(['P-250', 'P-250']);
});
