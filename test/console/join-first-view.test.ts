import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { joinFirstView } from '#src/console/join-first-view.ts';

const scripts = new Map([
  [
    'main.mjs',
    {
      text: 'import {a} from "./shared.mjs"; const {word} = await import("./words.mjs"); globalThis.joinedWords = a + word;',
      exports: [],
    },
  ],
  ['shared.mjs', { text: 'const a = "Ein "; export {a};', exports: ['a'] }],
  ['words.mjs', { text: 'import "./shared.mjs"; export const word = "Lauf";', exports: ['word'] }],
  ['screen.mjs', { text: 'import {a} from "./shared.mjs"; export const title = a;', exports: ['title'] }],
]);

test('the first view can wait for a script that follows what is joined into it', async ({ onTestFinished }) => {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-joined-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const joined = await joinFirstView(scripts, { entry: 'main.mjs', imports: ['shared.mjs'] });
  expect([...joined.keys()].toSorted()).toEqual(['main.mjs', 'screen.mjs', 'words.mjs']);
  for (const [name, text] of joined) await writeFile(join(directory, name), text);
  await import(pathToFileURL(join(directory, 'main.mjs')).href);
  expect(globalThis).toHaveProperty('joinedWords', 'Ein Lauf');
  expect(await import(pathToFileURL(join(directory, 'screen.mjs')).href)).toHaveProperty('title', 'Ein ');
});
