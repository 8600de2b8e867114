import { describe, expect, test } from 'vitest';
import { compileDocs } from '#src/console/docs/compile-docs.ts';

const compile = (sources: Record<string, string>, files: string[] = []) =>
  compileDocs(new Map(Object.entries(sources)), (path) => files.includes(path));

const readBlocks = (text: string) => compile({ 'docs/a.md': `# A\n\n${text}` }).pages[0]?.blocks;

describe('links', () => {
  test('between pages lead to pages of the console', () => {
    const { pages, faults } = compile({
      'docs/platform/orders.md': '# Orders\n\n[Keys](../keys.md#rotate-it), [the kit](../../packages/kit/README.md)',
      'docs/keys.md': '# Keys\n\n## Rotate it',
      'packages/kit/README.md': '# Kit',
    });
    expect(faults).toEqual([]);
    expect(pages.map(({ name }) => name)).toEqual(['platform-orders', 'keys', 'kit']);
    expect(pages[0]?.blocks).toEqual([
      {
        type: 'paragraph',
        children: [
          { type: 'link', page: 'keys', anchor: 'rotate-it', children: ['Keys'] },
          ', ',
          { type: 'link', page: 'kit', children: ['the kit'] },
        ],
      },
    ]);
  });

  test('to files that are no pages become text', () => {
    const { pages, faults } = compile({ 'docs/a.md': '# A\n\n[the schema](../schema.graphql)' }, ['schema.graphql']);
    expect(faults).toEqual([]);
    expect(pages[0]?.blocks).toEqual([{ type: 'paragraph', children: ['the schema'] }]);
  });

  test('to a missing file are reported', () => {
    expect(compile({ 'docs/a.md': '# A\n\n[b](b.md)' }).faults).toEqual([
      'docs/a.md: links to docs/b.md, which does not exist',
    ]);
  });

  test('to a missing heading are reported, on the same page too', () => {
    const { faults } = compile({ 'docs/a.md': '# A\n\n[b](b.md#two), [here](#nowhere)', 'docs/b.md': '# B\n\n## One' });
    expect(faults).toEqual([
      'docs/a.md: links to #two of docs/b.md, which has no such heading',
      'docs/a.md: links to #nowhere of docs/a.md, which has no such heading',
    ]);
  });

  test('from the README are reported, which is no page', () => {
    const { pages, faults } = compile({ 'README.md': '# Us\n\n[a](docs/a.md#x)', 'docs/a.md': '# A' });
    expect(faults).toEqual(['README.md: links to #x of docs/a.md, which has no such heading']);
    expect(pages.map(({ name }) => name)).toEqual(['a']);
  });
});

test('headings have the anchors that they have on GitHub', () => {
  const ids = readBlocks("## `ROLE=api` & roles\n\n## What's *new*, Müller?\n\n## Again\n\n## Again")?.map(
    (block) => block.type === 'heading' && block.id,
  );
  expect(ids).toEqual(['roleapi--roles', 'whats-new-müller', 'again', 'again-1']);
});

test('tables, lists and code keep their structure', () => {
  expect(readBlocks('| a | b |\n|---|--:|\n| `x` | **y** |\n\n3. one\n   - two\n\n```json answer\n{}\n```')).toEqual([
    {
      type: 'table',
      align: [null, 'right'],
      head: [['a'], ['b']],
      rows: [[[{ type: 'code', text: 'x' }], [{ type: 'strong', children: ['y'] }]]],
    },
    {
      type: 'list',
      start: 3,
      items: [
        [
          { type: 'line', children: ['one'] },
          { type: 'list', items: [[{ type: 'line', children: ['two'] }]] },
        ],
      ],
    },
    { type: 'code', info: 'json answer', text: '{}' },
  ]);
});

test('comments are dropped, and anchors without text can be linked to', () => {
  const { faults } = compile({ 'docs/a.md': '# A\n\n<!-- made by a script -->\n\n<a id="rows"></a>Rows. [Up](#rows)' });
  expect(faults).toEqual([]);
});

test('markup and images are reported, and shown as text', () => {
  const { pages, faults } = compile({ 'docs/a.md': '# A\n\n<b>bold</b> ![a shop](shop.png) &copy;' });
  expect(faults).toEqual([
    'docs/a.md: the console cannot draw html: <b>',
    'docs/a.md: the console cannot draw html: </b>',
    'docs/a.md: the console cannot draw image: ![a shop](shop.png)',
    'docs/a.md: write  &copy; without character references',
  ]);
  expect(pages[0]?.blocks).toEqual([
    { type: 'paragraph', children: ['<b>', 'bold', '</b>', ' ', '![a shop](shop.png)', ' &copy;'] },
  ]);
});

test('a file without a title, and two files with one name, are reported', () => {
  const { faults } = compile({ 'docs/a.md': 'Text', 'docs/b/c.md': '# C', 'docs/b-c.md': '# C' });
  expect(faults).toEqual([
    'docs/a.md: begin with the title, as "# Title"',
    'docs/b-c.md: another file is the page b-c; rename it',
  ]);
});
