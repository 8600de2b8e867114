import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { startExtension } from '#bin/commands/extension/preview/extension-process.ts';
import { extensionSecrets } from '#src/themes/islands/request-signing.rules.ts';
import type { Manifest } from '#src/themes/manifest/manifest.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { serveExtension } from './extension-site.ts';
import { run } from './theme-calls.ts';

const pages = await Promise.all(
  ['theme-extensions', 'theme-blocks'].map((name) =>
    readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'),
  ),
);
const blocks = [...pages.join('\n').matchAll(/^```(\w+)(?: (\w+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language, role = '', text = '']) => ({ language, role, text }),
);
const callers: Record<string, Caller> = { admin: {}, operator: { tenant: null, roles: ['operator'] } };

/** The response that the pages show; ids and hashes may differ. */
const said = (text: string) =>
  JSON.parse(text, (name, value: unknown) => {
    if (name === 'id') return expect.anything();
    return value === 'sha384-...' ? expect.stringMatching(/^sha384-/) : value;
  }) as object;

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

test('the examples of the pages about extensions and blocks get the shown responses, in order', async () => {
  const text = blocks.find(({ role }) => role === 'manifest')?.text ?? '';
  const { integrity: _hashes, ...manifest } = JSON.parse(text) as Manifest;
  const site = await serveExtension(api, manifest);
  site.answers['/theme-extensions/islands/Stars'] = (request, response) => {
    const props = new URL(request.url ?? '', site.url).searchParams.get('props') ?? '{}';
    const { max } = JSON.parse(props) as { max: number };
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-extension-version': manifest.version });
    response.end(`<acme-stars data-max="${max}" onclick="x()">No reviews yet</acme-stars>`);
  };
  const key = await api.apiKey(['theme:read']);
  const ids: Record<string, string> = {};
  const ran = { graphql: 0, http: 0 };

  for (const [at, { language, role, text }] of blocks.entries()) {
    const answer = blocks[at + 1] ?? { language: '', role: '', text: '' };
    if (language === 'graphql') {
      const document = text.replace('https://reviews.example.com', site.url);
      const found = await api.graphql<Record<string, object>>(document, ids, callers[role]);
      expect(found).toMatchObject(said(answer.text));
      for (const payload of Object.values(found.data)) {
        for (const [noun, node] of Object.entries(payload) as [string, { id?: string } | null][]) {
          if (node?.id !== undefined) ids[noun] = node.id;
        }
      }
      ran.graphql += 1;
    } else if (language === 'http' && role === '') {
      const [, method = '', url = '', body = ''] = /^(\S+) (\S+)\n(?:[\w-]+: .*\n)*\s*([^]*)$/.exec(text) ?? [];
      const response = await api.app.inject({
        method: method as 'GET',
        url: encodeURI(url),
        headers: { 'x-platform-api-key': key, 'x-platform-tenant': 'acme-shop' },
        ...(body !== '' && { payload: JSON.parse(body) as object }),
      });
      expect([url, response.statusCode]).toEqual([url, Number(answer.role)]);
      if (answer.language === 'json') expect(response.json()).toMatchObject(said(answer.text));
      else {
        const [head = '', html] = answer.text.split('\n\n');
        for (const line of head.split('\n')) {
          const [name = '', value] = line.split(': ');
          expect([name, response.headers[name.toLowerCase()]]).toEqual([name, value]);
        }
        expect(response.body.trimEnd()).toBe(html?.trimEnd());
      }
      ran.http += 1;
    }
  }
  expect(ran).toEqual({ graphql: 6, http: 4 });
});

test('the page for authors leads from an empty folder to a block that a shop shows', { timeout: 120_000 }, async () => {
  const page = await readFile(new URL('../../docs/theme-extensions-authors.md', import.meta.url), 'utf8');
  const cwd = await mkdtemp(join(tmpdir(), 'extension-author-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const io = { out: () => undefined, err: () => undefined, env: {}, cwd };
  const [, init = ''] = /^causeway (extension init .+)$/m.exec(page) ?? [];
  expect(await runCauseway(init.split(' '), io)).toBe(0);

  const secret = extensionSecrets(api.deps)({ vendor: 'acme', name: 'hello' });
  const extension = await startExtension({ folder: join(cwd, 'hello'), entry: 'server.ts', secret, io });
  onTestFinished(() => extension.close());
  api.egressAllow.add(new URL(extension.url).host);
  const registered = await run(api, 'registerExtension', { url: extension.url });
  const [, document = ''] = /^```graphql\n([^]*?)^```$/m.exec(page) ?? [];
  const { data } = await api.graphql(
    document,
    { extension: registered.extension?.id },
    { roles: ['admin', 'operator'] },
  );
  expect(data).toMatchObject({ installExtension: { installation: { status: 'INSTALLED' } } });

  const [, url = ''] = /curl -i "http:\/\/localhost:4000(\S+)"/.exec(page) ?? [];
  const key = await api.apiKey(['theme:read']);
  const headers = { 'x-platform-api-key': key, 'x-platform-tenant': 'acme-shop' };
  const block = await api.app.inject({ url, headers });
  expect(block.body).toContain('<acme-greeting data-name="Hello"></acme-greeting>');
});
