import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { type Preview, startPreview } from '#bin/commands/extension/preview/preview.ts';

let scratch: string;
let folder: string;
let preview: Preview;
const said: string[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'extension-preview-'));
  folder = join(scratch, 'hello');
  const io = { out: () => {}, err: (text: string) => void said.push(text), env: {}, cwd: scratch };
  expect(await runCauseway(['extension', 'init', 'hello'], io)).toBe(0);
  preview = await startPreview({ folder, entry: 'server.ts', port: 0, io });
});
afterAll(async () => {
  await preview.close();
  await rm(scratch, { recursive: true });
});

const read = async (path: string): Promise<string> => (await fetch(preview.url + path)).text();
const block = (props: object) => read(`/preview/blocks/greeting?props=${encodeURIComponent(JSON.stringify(props))}`);

test('the page has each block with a form made from its settings', async () => {
  const page = await read('/');
  expect(page).toContain('<section data-block="greeting">');
  expect(page).toMatch(/Heading <input name="heading" value="Hello"/);
  expect(page).toMatch(/Tone <select name="tone">[^]*<option value="calm" selected>Calm<\/option>/);
});

test('a block is shown as in a theme: with its props, sanitised, with its assets and their hashes', async () => {
  const page = await block({ heading: '<b>Ada</b>', tone: 'loud' });
  expect(page).toContain('<h2>&lt;b&gt;Ada&lt;/b&gt;</h2>');
  expect(page).toContain('acme-greeting--loud');
  expect(page).toMatch(/<link rel="stylesheet" href="\/assets\/hello\.css" integrity="sha384-[^"]{64}"/);
  expect(page).toMatch(/<script type="module" src="\/assets\/hello\.js" integrity="sha384-/);
  expect(await read('/assets/hello.css')).toContain('.acme-greeting');
});

test('invalid props and a missing block are reported', async () => {
  expect(await block({ tone: 'shrill' })).toContain('props.tone must be one of calm, loud');
  expect(await read('/preview/blocks/other')).toContain('There is no block &quot;other&quot;');
});

test('a malformed address is a 404, and the preview continues', async () => {
  expect((await fetch(`${preview.url}//`)).status).toBe(404);
});

test('a taken port is named, with what to do, even if only IPv6 uses it', async () => {
  const other = createServer().listen(0, '::1');
  await once(other, 'listening');
  for (const port of [new URL(preview.url).port, String((other.address() as AddressInfo).port)]) {
    let err = '';
    const io = { out: () => {}, err: (text: string) => void (err += text), env: {}, cwd: scratch };
    expect(await runCauseway(['extension', 'dev', 'hello', '--port', port], io)).toBe(1);
    expect(err).toBe(
      `Port ${port} is in use, perhaps by this command in another terminal. Stop that, or choose another with --port (0 picks a free one).\n`,
    );
  }
  other.close();
});

test('an island is refused without a signature', async () => {
  expect((await fetch(`${preview.url}/theme-extensions/islands/Greeting`)).status).toBe(401);
});

test('the page reloads when a file changes, and shows the change or its fault', async () => {
  const { body } = await fetch(`${preview.url}/preview/changes`);
  const events = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  const reloaded = async () => {
    for (;;) if ((await events.read()).value?.includes('data: changed')) return;
  };
  const islands = await readFile(join(folder, 'islands.ts'), 'utf8');
  await writeFile(join(folder, 'islands.ts'), islands.replace('<h2>', '<h2>Dear '));
  await reloaded();
  expect(await block({ heading: 'Ada', tone: 'calm' })).toContain('<h2>Dear Ada</h2>');
  await writeFile(join(folder, 'theme-extensions.json'), '{}');
  await reloaded();
  expect(await read('/')).toContain('/kind is missing');
  expect(said.join('')).toContain('/kind is missing');
  await events.cancel();
});
