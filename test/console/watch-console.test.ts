import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveConsole } from '#src/console/serve-console.ts';
import { watchConsole } from '#src/console/watch-console.ts';

let directory: string;
let site: Awaited<ReturnType<typeof watchConsole>>;
let app: FastifyInstance;
const faults: string[] = [];

const write = async (path: string, content: string): Promise<void> => {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'causeway-watch-'));
  await write('console/main.tsx', "import './ui/styles/main.css';\nimport { word } from './word.ts';\nword();\n");
  await write('console/word.ts', "export const word = () => 'first';\n");
  await write('console/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await write('console/ui/styles/main.css', 'body { margin: 0 }\n');
  const others = [
    'src/console/a.ts',
    'packages/node-kit/src/define.ts',
    'docs/a.md',
    'schema.graphql',
    'package-lock.json',
  ];
  for (const path of others) await write(path, '');
  faults.length = 0;
  site = await watchConsole(
    { info: () => undefined, error: (fault: unknown) => void faults.push(String(fault)) },
    directory,
  );
  app = Fastify({ forceCloseConnections: false });
  serveConsole(app, { site, publicUrl: 'http://localhost', issuer: 'http://localhost/dev/oidc' });
});
afterEach(async () => {
  site.close();
  await app.close();
  await rm(directory, { recursive: true, force: true });
});

const entry = (): string => site.build().assets.get(site.build().page.entry)?.content.toString() ?? '';
const nextBuild = (): Promise<string> =>
  new Promise((resolve) => {
    const stop = site.onChange(({ id }) => {
      stop();
      resolve(id);
    });
  });

test('a change of a source makes a build with it, and one that cannot be built is told and changes nothing', async () => {
  expect(entry()).toContain('first');
  const built = nextBuild();
  await write('console/word.ts', "export const word = () => 'second';\n");
  expect(await built).toBe(site.build().id);
  expect(entry()).toContain('second');

  await write('console/word.ts', 'export const word = ;\n');
  await expect.poll(() => faults.at(-1)).toContain('console/word.ts:1:20');
  expect(entry()).toContain('second');

  const repaired = nextBuild();
  await write('console/word.ts', "export const word = () => 'third';\n");
  await repaired;
  expect(entry()).toContain('third');
});

test('an open page is told its build at once and each later one, until the server ends', async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const [page, script] = await Promise.all([
    app.inject({ url: '/console/' }),
    app.inject({ url: '/console/changes.js' }),
  ]);
  expect(page.payload).toContain('<script type="module" src="console/changes.js"></script>');
  expect(script.payload).toContain("new EventSource('console/changes')");

  const [stream] = (await once(get(`http://127.0.0.1:${port}/console/changes`), 'response')) as [IncomingMessage];
  expect(stream.headers['content-type']).toBe('text/event-stream');
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const first = site.build().id;
  await expect.poll(() => text).toBe(`event: build\ndata: ${first}\n\n`);
  const built = nextBuild();
  await write('docs/a.md', '# Another page\n');
  const second = await built;
  expect(second).not.toBe(first);
  await expect.poll(() => text).toContain(`data: ${second}\n\n`);
  const ended = once(stream, 'end');
  await app.close();
  await ended;
});
