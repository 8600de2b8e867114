import { once } from 'node:events';
import type { Readable, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openRowFile } from '#src/automation/core-nodes/sql/row-file.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';

type Create = FilesPort['create'];
type Options = Partial<Parameters<typeof openRowFile>[1]>;

const reference = (name = '', type = '', sha256 = ''): FileReference => ({ file: 'f', name, type, size: 0, sha256 });
const openWith = (create: Create, more: Options = {}) =>
  openRowFile(
    { create, open: () => Promise.reject(new Error('not used')) },
    {
      format: 'csv',
      name: 'rows.csv',
      maxRows: Number.POSITIVE_INFINITY,
      stops: false,
      signal: new AbortController().signal,
      ...more,
    },
  );
/** Keeps the content where the hash would be. */
const keeping: Create = async ({ name, type }, content) => reference(name, type, await text(content));
const stream = () => {
  const calls: string[] = [];
  return { calls, pause: () => calls.push('pause'), resume: () => calls.push('resume') } as never as Readable & {
    calls: string[];
  };
};

test.each([
  ['csv', 'text/csv', 'a,b,c\n1,"x ""y""\n",\ntrue,2,"{""n"":1}"\n'],
  ['ndjson', 'application/x-ndjson', '{"a":1,"b":"x \\"y\\"\\n","c":null}\n{"a":true,"b":"2","c":{"n":1}}\n'],
] as const)('rows become a file of %s', async (format, type, content) => {
  const file = openWith(keeping, { format, name: 'orders' });
  file.add({ a: 1, b: 'x "y"\n', c: null }, stream() as never);
  file.add({ a: true, b: '2', c: { n: 1 } }, stream() as never);
  expect(await file.end()).toMatchObject({ name: 'orders', type, sha256: content });
  expect(file.count).toBe(2);
});

test('the server waits while the file takes no more, and goes on when it does', async () => {
  const { promise: started, resolve: start } = Promise.withResolvers<Transform>();
  const { promise: stalled, resolve: release } = Promise.withResolvers<void>();
  const file = openWith(async ({ name }, content) => {
    start(content as Transform);
    await stalled;
    return reference(name, '', String((await text(content)).length));
  });
  const source = stream();
  const lines = await started;
  let rows = 0;
  for (; source.calls.length === 0; rows += 1) file.add({ n: rows, text: 'x'.repeat(1_000) }, source as never);
  expect(rows).toBeLessThan(1_000);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(source.calls).toEqual(['pause']);
  release();
  await once(lines, 'drain');
  expect(source.calls).toEqual(['pause', 'resume']);
  await file.end();
});

test('a file that is refused stops the statement with the reason, even while its server waits', async () => {
  const file = openWith(async () => {
    await turn();
    throw new NodeError('FILE_TOO_LARGE', 'Too large.');
  });
  const source = stream();
  while (source.calls.length === 0) file.add({ text: 'x'.repeat(1_000) }, source as never);
  await turn();
  await turn();
  expect(source.calls).toEqual(['pause', 'resume']);
  expect(() => file.add({ text: '' }, source as never)).toThrow('Too large.');
});

test.each([
  [true, 'cut off'],
  [false, 'refused'],
])('rows above the limit: stops is %s, they are %s', async (stops, what) => {
  const file = openWith(keeping, { maxRows: 1, stops });
  expect(file.add({ a: 1 }, stream() as never)).toBe(true);
  const second = () => file.add({ a: 2 }, stream() as never);
  if (what === 'refused') expect(second).toThrow('over 1 rows');
  else {
    expect(second()).toBe(false);
    expect(file.isTruncated).toBe(true);
    expect((await file.end()).sha256).toBe('a\n1\n');
  }
});
