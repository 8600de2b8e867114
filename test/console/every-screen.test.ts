import { readdir } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test } from '#test/setup/console-test.ts';
import { Audit } from './every-screen/audit.ts';
import { nouns } from './every-screen/registry.ts';
import { isWalkedBy, type Shard, shards } from './every-screen/shards.ts';

test('the files in every-screen/ walk every noun', async () => {
  const files = await readdir(new URL('every-screen', import.meta.url));
  const walked = (Object.keys(shards) as Shard[]).filter((shard) => files.includes(`${shard}.test.ts`));
  expect(nouns.length).toBeGreaterThan(40);
  expect(nouns.filter((noun) => !walked.some((shard) => isWalkedBy(shard, noun)))).toEqual([]);
});

describe.skipIf(browserIsMissing)(`The audit of a page${skippedSuffix}`, () => {
  test('finds what it looks for', async ({ context }) => {
    const audit = await Audit.begin(context);
    const { page } = audit;
    const html = `<html lang="en"><title>Page</title><style>:root { color-scheme: light dark; background: light-dark(#fff, #222) }</style>
      <main><h1>Page</h1><p style="color: light-dark(#000, #333)">Dark on dark</p><button></button>
      <div style="width: 350px">Wide</div></main><script>console.error('Broken'); throw new Error('Thrown')</script></html>`;
    await page.goto(`data:text/html,${encodeURIComponent(html)}`);
    await audit.check('page');
    await audit.checkNarrow('page');
    expect(audit.findings.map((finding) => finding.split('\n')[0]?.replace(/^data:\S*/, 'page:'))).toEqual([
      'page: Broken',
      'page: Error: Thrown',
      expect.stringContaining('page: light: button-name'),
      expect.stringContaining('page: dark: color-contrast'),
      expect.stringContaining('page, 320 px: html. is 3'),
    ]);
  });
});
