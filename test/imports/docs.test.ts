import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { atSigned, ended, importFile, makeProfile, readRejects, startImportWorker } from './import-file.ts';

const page = await readFile(new URL('../../docs/imports.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = '']) => ({
  language,
  text,
}));
const block = (language: string, at: number): string =>
  blocks.filter((each) => each.language === language)[at]?.text ?? '';

test('the file on the docs page is imported and exported as the page says', async ({ api }) => {
  await startImportWorker(api);
  await api.graphql('mutation { createProduct(input: { sku: "MUG-1", name: "Mug" }) { __typename } }');
  const names: Record<string, string> = {};
  const send = async (at: number) => {
    const text = block('http', at).replace(/\{(profile|upload|job)\}/g, (_all, name: string) => names[name] ?? '');
    const [, method = '', path = '', body = ''] = /^(\S+) \/v1(\S+)\s*([^]*)$/.exec(text) ?? [];
    const { status, body: answer } = await callPlatform(api, method, path, body === '' ? {} : { body });
    expect([path, status]).toEqual([path, expect.toBeOneOf([200, 201, 202])]);
    return answer;
  };
  names['profile'] = String((await send(0))['id']);
  const { upload_id: upload, url } = await send(1);
  names['upload'] = String(upload);
  expect((await atSigned(api, 'PUT', url as never, block('csv', 0))).statusCode).toBe(204);
  expect((await send(2))['rows']).toMatchObject([
    { line: 2, values: { sku: 'MUG-1', location: 'hall', quantity: '12.5' }, errors: [] },
    { line: 3, errors: [{ column: 'Quantity' }] },
  ]);
  const started = await send(3);
  names['job'] = String(started['id']);
  const job = await ended(api, started['id'] as never);
  expect(await send(4)).toMatchObject(JSON.parse(block('json', 0)) as object);
  expect(['line,column,value,reason', ...(await readRejects(api, job))]).toEqual(block('csv', 1).trimEnd().split('\n'));

  names['job'] = String((await send(5))['id']);
  await ended(api, Number(names['job']));
  const written = await atSigned(api, 'GET', (await send(6))['download_url'] as never);
  expect(written.payload).toBe(block('csv', 2));
});

test('the files of the other formats, with the exported workbook, hold the same product', async ({ api }) => {
  await startImportWorker(api);
  const [, section = ''] = page.split('\n## The other formats\n');
  const examples = [...section.matchAll(/^```json profile\n([^`]*)^```\n[^`]*^```(\w+)(?: workbook)?\n([^`]*)^```$/gm)];
  expect(examples.map(([, , language]) => language)).toEqual(['xml', 'json', 'ndjson', 'http']);
  const written: number[] = [];
  for (const [, given = '', language, text = ''] of examples) {
    const profile = JSON.parse(given) as { name: string };
    await makeProfile(api, profile);
    const file = language === 'http' ? await exported(api, text) : text;
    const job = await importFile(api, file, profile.name);
    expect([profile.name, job]).toMatchObject([profile.name, { status: 'completed', rows_read: 1, rows_rejected: 0 }]);
    written.push(job.rows_written);
  }
  expect(written).toEqual([1, 0, 0, 0]);
  const { items } = (await callPlatform(api, 'GET', '/products?search=MUG-3')).body;
  expect(items).toMatchObject([{ sku: 'MUG-3', name: 'Large mug' }]);
});

test('nested records are read with fields of their parents', async ({ api }) => {
  await startImportWorker(api);
  await api.graphql(
    'mutation { createPriceList(input: { code: "dealers", name: "D", currency: "EUR" }) { __typename } createProduct(input: { sku: "MUG-3", name: "Mug" }) { __typename } }',
  );
  const [, section = ''] = page.split('\n## Records within records\n');
  const examples = [...section.matchAll(/^```json nested\n([^`]*)^```\n[^`]*^```(\w+)\n([^`]*)^```$/gm)];
  expect(examples.map(([, , language]) => language)).toEqual(['xml', 'json', 'xml']);
  for (const [, given = '', , text = ''] of examples) {
    const { name } = await makeProfile(api, JSON.parse(given) as { name: string });
    const job = await importFile(api, text, name);
    const many = name === 'Feed' ? 1 : 2;
    expect([name, job]).toMatchObject([name, { error: null, rows_read: many, rows_written: many }]);
  }
  const { items } = (await callPlatform(api, 'GET', '/products?search=TEE')).body;
  expect(items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ sku: 'TEE-S', name: 'T-shirt, S' }),
      expect.objectContaining({ sku: 'TEE-M', name: 'T-shirt, M' }),
    ]),
  );
  const tray = (await callPlatform(api, 'GET', '/products?search=TRAY-1')).body['items'];
  expect(tray).toMatchObject([{ name: 'Tray', description: 'Oak,\noiled by hand' }]);
});

/** The file of the export that this request of the page starts. */
async function exported(api: TestApp, request: string): Promise<Buffer> {
  const { body } = await callPlatform(api, 'POST', '/io/exports', { body: request.replace(/^.*\n/, '') });
  const { download_url: url } = (await ended(api, Number(body['id']))) as unknown as { download_url: string };
  return (await atSigned(api, 'GET', url)).rawPayload;
}

test('the docs page lists every target with its fields and its key', async ({ api }) => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (`.*`.*) \| (`.*`) \|$/gm)];
  const named = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const told = rows.map(([, name, , key = '']) => [name, named(key)]);
  const targets = [...api.services.imports.targets.values()];
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(targets.map(({ name, key }) => [name, [...key]])));
  for (const [, name = '', fields = ''] of rows) {
    const columns = api.services.imports.targets.get(name)?.columns({ mode: 'full' }) ?? [];
    const shown = columns.map(
      (each) => `\`${each.name}\`${each.required ? '*' : ''}${each.byDefault ? ` (\`${each.byDefault}\`)` : ''}`,
    );
    expect(fields).toBe(shown.join(', '));
  }
});
