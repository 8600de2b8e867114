import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { ZipFile } from 'yazl';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import { type FileReference, isFileReference } from '#src/automation/node-api/file-reference.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import { run } from '#test/automation/core-nodes/context.ts';
import { test } from '#test/setup/app-test.ts';

let openFiles: (limits?: object) => FilesPort;
let runId = 5_000;
test.beforeAll(({ api }) => {
  openFiles = (limits) =>
    openRunFiles(
      { ...api.deps, fileLimits: { ...api.deps.fileLimits, filesPerRun: 5_000, ...limits } },
      { tenantId: 'acme-shop', runId: (runId += 1) },
      (name) => name,
    );
});

const stored = (content: string | Buffer, type = 'text/csv', files = openFiles()) =>
  files.create({ name: 'given', type }, Readable.from([Buffer.from(content)]));

const parse = async (format: string, text: unknown, options: object = {}, files = openFiles()) =>
  (await run('core:parse', { format, text, options }, { ports: { files } })).outputs['data'] as never;

async function render(format: string, data: unknown, more: object = {}) {
  const files = openFiles();
  const { outputs } = await run('core:render', { format, data, ...more }, { ports: { files } });
  const file = outputs['file'] as FileReference;
  const read = async () => buffer(await (await files.open(file)).stream());
  return { outputs, file, read };
}

async function packed(entries: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream as Readable);
}

/** The same archive with a malicious name of the same length. */
const renamed = (zip: Buffer, from: string, to: string): Buffer =>
  Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');

describe('core:parse', () => {
  test.each([
    ['csv', 'a,b\n1,2\n', [{ a: '1', b: '2' }]],
    ['json', '{"a":[1]}', { a: [1] }],
    ['xml', '<a><b>1</b></a>', { a: { b: '1' } }],
  ])('reads a file of %s like text', async (format, content, data) => {
    expect(await parse(format, await stored(content))).toEqual(data);
  });

  test('decodes a file by its type, and refuses bytes', async () => {
    const latin = Buffer.from('a\nKäse\n', 'latin1');
    expect(await parse('csv', await stored(latin, 'text/csv; charset=iso-8859-1'))).toEqual([{ a: 'Käse' }]);
    await expect(parse('json', await stored(latin, 'application/json'))).rejects.toMatchObject({ code: 'UNREADABLE' });
  });

  test.each([
    ['xlsx', 'no file', 'INVALID_CONFIG'],
    ['csv', { file: 'elsewhere' }, 'INVALID_CONFIG'],
    ['csv', { file: 'file_AAAAAAAAAAAAAAAAAAAAAA' }, 'FILE_NOT_FOUND'],
  ])('refuses %s of %j', async (format, text, code) => {
    await expect(parse(format, text)).rejects.toMatchObject({ code });
  });

  test('refuses a workbook from which its sheet is missing', async () => {
    const workbook = await packed({
      'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="r1" xmlns:r="r"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r1" Target="../gone.xml"/></Relationships>',
    });
    await expect(parse('xlsx', await stored(workbook))).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('The sheet is missing'),
    });
  });

  test.each(['xlsx', 'zip'])('refuses a file that is no %s, an empty one, and half of one', async (format) => {
    const whole = await packed({ 'a.txt': 'x'.repeat(1_000) });
    for (const content of ['a,b', '', whole.subarray(0, 80)])
      await expect(parse(format, await stored(content))).rejects.toMatchObject({ code: 'UNREADABLE' });
  });

  test('unpacks an archive into files, each with its place', async () => {
    const files = openFiles();
    const zip = await stored(
      await packed({ 'in/a.csv': 'a\n1\n', 'b.pdf': 'x', 'in/empty': '' }),
      'application/zip',
      files,
    );
    const data: FileReference[] = await parse('zip', zip, {}, files);
    expect(data).toEqual([
      expect.objectContaining({ path: 'in/a.csv', name: 'a.csv', type: 'text/csv', size: 4 }),
      expect.objectContaining({ path: 'b.pdf', name: 'b.pdf', type: 'application/pdf', size: 1 }),
      expect.objectContaining({ path: 'in/empty', type: 'application/octet-stream', size: 0 }),
    ]);
    expect(data.every(isFileReference)).toBe(true);
    expect(await parse('csv', data[0], {}, files)).toEqual([{ a: '1' }]);
  });

  test.each(['../xx.csv', '/etc/abcd', '..\\xx.csv'])('refuses an archive with a file at %s', async (path) => {
    const zip = renamed(await packed({ 'aaa/b.csv': 'x' }), 'aaa/b.csv', path);
    await expect(parse('zip', await stored(zip))).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('leads out of the folder'),
    });
  });

  test('refuses an archive in which two files have one name', async () => {
    const zip = renamed(await packed({ 'in/a.csv': 'x', 'in/b.csv': 'y' }), 'in/b.csv', 'in/a.csv');
    await expect(parse('zip', await stored(zip))).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('two files named "in/a.csv"'),
    });
  });

  test('unpacks files whose names have a line break or thousands of characters', async () => {
    const zip = renamed(await packed({ 'aXa.csv': 'x', [`${'n'.repeat(5_000)}.csv`]: 'y' }), 'aXa', 'a\na');
    const data: FileReference[] = await parse('zip', await stored(zip));
    expect(data.map(({ name }) => name)).toEqual(['aa.csv', `${'n'.repeat(251)}.csv`]);
  });

  test('stops at archives that unpack to too much, and to too many files', async () => {
    const zeros = Buffer.alloc(2 * 2 ** 20);
    const bomb = await packed(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}`, zeros])));
    expect(bomb.length).toBeLessThan(100_000);
    const files = openFiles({ fileBytes: 2 ** 20 });
    const file = await stored(bomb, 'application/zip', files);
    await expect(parse('zip', file, {}, files)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    const many = await stored(await packed(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`${n}`, '']))));
    await expect(parse('zip', many)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});

describe('a workbook', () => {
  const rows = [
    { sku: 'A-1', price: 19.95, active: true, note: '=1+1' },
    { sku: 'Käse\t"2"', price: -3, active: false, note: null },
  ];

  test('that is rendered is read with the same values', async () => {
    const { file, outputs } = await render('xlsx', rows, { file_name: '../list.xlsx', options: { sheet: 'Prices' } });
    expect(outputs).toEqual({
      file: expect.objectContaining({ name: 'list.xlsx', type: expect.stringContaining('sheet') }),
    });
    expect(await parse('xlsx', file)).toEqual(rows);
    expect(await parse('xlsx', file, { sheet: 'Prices', header: false })).toEqual([
      ['sku', 'price', 'active', 'note'],
      ['A-1', 19.95, true, '=1+1'],
      ['Käse\t"2"', -3, false],
    ]);
    await expect(parse('xlsx', file, { sheet: 'Other' })).rejects.toThrow('has no sheet "Other"');
  });

  test('has no rows for an empty list, and mixed values as text', async () => {
    expect(await parse('xlsx', (await render('xlsx', [])).file)).toEqual([]);
    const mixed = await render(
      'xlsx',
      [
        [1, 'a'],
        ['b', { c: 1 }],
      ],
      { options: { header: false } },
    );
    expect(await parse('xlsx', mixed.file, { header: false })).toEqual([
      ['1', 'a'],
      ['b', '{"c":1}'],
    ]);
  });
});

describe('core:render', () => {
  test.each([
    ['csv', [{ a: 'x' }], 'a\nx\n', 'text/csv; charset=utf-8'],
    ['json', { a: 1 }, '{"a":1}', 'application/json'],
  ])('writes %s into a file if a name is given', async (format, data, content, type) => {
    const { outputs, read } = await render(format, data, { file_name: 'out' });
    expect(outputs).toEqual({ file: expect.objectContaining({ name: 'out', type }) });
    expect((await read()).toString()).toBe(content);
    expect((await render(format, data)).outputs).toEqual({ text: content });
  });

  test('packs files under safe and unique names', async () => {
    const one = await stored('1');
    const two = await stored('2');
    const { file } = await render('zip', [one, two, { ...two, path: '../../a/..\\b.txt' }]);
    const data: { path: string; size: number }[] = await parse('zip', file);
    expect(data.map(({ path }) => path)).toEqual(['given', 'given (2)', 'a/b.txt']);
  });

  test('packs only files of the tenant', async () => {
    await expect(render('zip', [{ a: 1 }])).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await expect(render('zip', [{ file: 'file_AAAAAAAAAAAAAAAAAAAAAA' }])).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });
});
