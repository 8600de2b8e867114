import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, vi } from 'vitest';
import { makeProfile, startImportWorker } from '#test/imports/import-file.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { findJobs, makeSchedule, mutate, run } from './transfers.ts';

let api: TestApp;
let server: Server;
let origin: string;
/** How the server answers now. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: IncomingMessage[] = [];
test.beforeAll(async ({ api: started }) => {
  api = started;
  server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  api.egressAllow.add(`127.0.0.1:${port}`);
  await makeProfile(api, { name: 'products', target: 'products' });
  await startImportWorker(api);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  asked = [];
});

let made = 0;
const makeSource = async (given: object = {}): Promise<string> => {
  const input = { name: `Source ${(made += 1)}`, url: `${origin}/products.csv`, ...given };
  const answered = await mutate(api, 'createHttpSource', { input, select: 'httpSource { id }' });
  return (answered['httpSource'] as { id: string }).id;
};
const scheduled = async (given?: object): Promise<string> =>
  makeSchedule(api, 'Import', { sourceId: await makeSource(given), profile: 'products' });
/** Waits for what becomes of the one file that a schedule has imported: it is imported after the schedule has run. */
const onlyJobIs = (id: string, wanted: object) =>
  vi.waitFor(async () => expect(await findJobs(api, id)).toMatchObject([wanted]), { timeout: 30_000, interval: 50 });

const file = (sku: string) => `sku,name\n${sku},Mug\n`;

describe('a file of an HTTP server', () => {
  test('is imported once for each ETag, and requested with the headers of the source', async () => {
    let etag = '"one"';
    answer = ({ headers }, response) => {
      response.setHeader('etag', etag);
      if (headers['if-none-match'] === etag) response.writeHead(304).end();
      else response.end(file(`E-${etag.length}`));
    };
    const id = await scheduled({ headers: { 'x-api-key': 'a secret of the source' } });
    for (let runs = 0; runs < 2; runs += 1)
      expect(await run(api, 'Import', id)).toMatchObject({ lastError: null, lastSuccessAt: expect.any(String) });
    await onlyJobIs(id, { name: 'products.csv', status: 'completed', rows_written: 1 });
    etag = '"another"';
    await run(api, 'Import', id);
    expect(await findJobs(api, id)).toHaveLength(2);
    expect(asked.map(({ headers }) => [headers['x-api-key'], headers['if-none-match']])).toEqual([
      ['a secret of the source', undefined],
      ['a secret of the source', '"one"'],
      ['a secret of the source', '"one"'],
    ]);
    expect(api.logLines.join('\n')).not.toContain('a secret of the source');
  });

  test('is requested again when a user runs the schedule after its import failed', async () => {
    answer = ({ headers }, response) => {
      response.setHeader('etag', '"same"');
      if (headers['if-none-match'] === '"same"') response.writeHead(304).end();
      else response.end('number,title\nR-1,Mug\n');
    };
    const id = await scheduled();
    await run(api, 'Import', id);
    await onlyJobIs(id, { status: 'failed' });
    await makeProfile(api, { name: 'mapped', target: 'products', mapping: { sku: 'number', name: 'title' } });
    const input = { id, profile: 'mapped' };
    await mutate(api, 'updateImportSchedule', { input, select: 'importSchedule { id }' });
    await run(api, 'Import', id);
    await onlyJobIs(id, { status: 'completed', rows_written: 1 });
  });

  test('is imported once for each time or content if there is no ETag, and again when it comes back', async () => {
    let sku = 'H-1';
    let modified: string | undefined = 'Thu, 01 Jan 2026 00:00:00 GMT';
    answer = (_request, response) => {
      if (modified !== undefined) response.setHeader('last-modified', modified);
      response.end(gzipSync(file(sku)));
    };
    const id = await scheduled();
    for (let runs = 0; runs < 2; runs += 1) await run(api, 'Import', id);
    expect(await findJobs(api, id)).toHaveLength(1);
    modified = undefined;
    for (const [next, jobs] of [
      ['H-2', 2],
      ['H-2', 2],
      ['H-3', 3],
      ['H-2', 4],
    ] as const) {
      sku = next;
      await run(api, 'Import', id);
      expect(await findJobs(api, id)).toHaveLength(jobs);
    }
  });

  test.for<[string, (response: ServerResponse) => void, RegExp]>([
    [
      'redirect',
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      /redirects \(302\)/,
    ],
    ['server error', (response) => response.writeHead(500).end(), /answered 500/],
    ['missing file', (response) => response.writeHead(404).end(), /answered 404/],
    [
      'strange encoding',
      (response) => response.writeHead(200, { 'content-encoding': 'br' }).end('x'),
      /was not asked for/,
    ],
    [
      'file that is cut short',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('sku,name\n');
        setImmediate(() => response.destroy());
      },
      /closed the connection/,
    ],
  ])('of a %s is not imported, and the schedule says why', async ([, answers, says]) => {
    answer = (_request, response) => answers(response);
    const id = await scheduled();
    expect(await run(api, 'Import', id)).toMatchObject({
      lastError: expect.stringMatching(says),
      lastSuccessAt: null,
    });
    expect(await findJobs(api, id)).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});

describe('an HTTP source', () => {
  test('has no private address unless an operator allows it, and never plain http', async () => {
    const refused = async (url: string) =>
      mutate(api, 'createHttpSource', { input: { name: url.slice(0, 99), url }, select: 'httpSource { id }' });
    for (const url of ['https://10.0.0.1/a.csv', 'http://erp.example.com/a.csv', 'ftp://erp.example.com', 'none'])
      expect(await refused(url)).toMatchObject({ __typename: 'ValidationError', fields: [{ path: 'url' }] });
  });

  test('shows only the names of its headers, which can be removed', async () => {
    const id = await makeSource({ headers: { authorization: 'Bearer of secrets' } });
    const { data } = await api.graphql<{ httpSource: object }>(
      'query ($id: ID!) { httpSource(id: $id) { url headerNames } }',
      { id },
    );
    expect(data.httpSource).toEqual({ url: `${origin}/products.csv`, headerNames: ['authorization'] });
    const [row] = await api.database.tenantQuery<{ text: string }>('acme-shop', {
      text: `SELECT string_agg(t::text, ' ') AS text FROM http_sources t`,
    });
    expect(row?.text).not.toContain('Bearer of secrets');
    const changed = await mutate(api, 'updateHttpSource', {
      input: { id, headers: null },
      select: 'httpSource { headerNames }',
    });
    expect(changed).toMatchObject({ httpSource: { headerNames: [] } });
  });

  test('sends its headers only to the server that they were given for', async () => {
    const id = await makeSource({ headers: { authorization: 'Bearer of the supplier' } });
    const change = (given: object) =>
      mutate(api, 'updateHttpSource', { input: { id, ...given }, select: 'httpSource { url headerNames }' });
    const url = 'https://elsewhere.example.com/products.csv';
    expect(await change({ url })).toMatchObject({ __typename: 'ValidationError', fields: [{ path: 'headers' }] });
    expect(await change({ url: `${origin}/other.csv` })).toMatchObject({
      httpSource: { headerNames: ['authorization'] },
    });
    expect(await change({ url, headers: null })).toMatchObject({ httpSource: { url, headerNames: [] } });
  });
});
