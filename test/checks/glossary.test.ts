import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/**
 * Words that were private to this project, or second words for one thing, with the one to use. Only those that no other meaning needs are
 * here; CONTRIBUTING.md says how names and comments are written.
 */
const identifiers: [pattern: RegExp, instead: string][] = [
  [/\bmost[A-Z]\w*/, 'max…: an upper bound'],
  [/\b(?:keepToRepeat|createRepeats)\b/, 'responseCache, cachedResponse'],
  [/\b(?:lendBuffer|takeBack|lentBuffers?)\b/, 'acquire and release of a buffer pool'],
  [/\b(?:answerWhole|wholeLists?)\b/, 'streamedList'],
  [/\b(?:gatherParts|DomainParts|domainParts)\b/, 'DomainManifest, declarations'],
  [/\b(?:NotPlain|otherShape)\b/, 'Unsupported'],
  [/\b(?:createPlacements|PlacementBatcher|readGrounds|GroundAsked)\b/, 'orderContext, orderBatcher'],
  [/\b(?:Drafted|drawOrders)\b/, 'numbered, allocateIds'],
  [/\bpass(?:ed)?Over\b/, 'skipUnchanged, skipped'],
  [/\b(?:goOn|goesOn)\b/, 'checkpoint, resume'],
  [/\bleaveOff\b/, 'handleFailure'],
  [/\b(?:Headway|headwayOf)\b/, 'Progress'],
  [/\bOutOfTurn\b/, 'WaitTimeout'],
  [/\blikeness\w*\b/i, 'comparison'],
  [/\bisHeard\w*\b/, 'hasSubscribers'],
  [/\bbegunTo\b/, 'cursor'],
  [/\bInHand\b|\binHand\b/, 'inFlight'],
  [/\bisErpSide\b/, 'actsForErp'],
  [
    /(?:\b(?:function\*?|const) |^ +(?:async )?#?(?=\w+\(.*\{$))(?!(?:as|one|markup|integrity|expectType)Of\b)\w+Of\b/,
    'a verb or a noun for a function: readStatus, httpStatus',
  ],
];

/** Phrases of comments, test titles and messages that readers had to read twice. */
const phrases: [pattern: RegExp, instead: string][] = [
  [/\bin (?:its|their) stead\b/i, 'instead of it, instead of them'],
  [/\bwas had\b/i, 'the verb of what happened'],
  [/\bwhat is to be\b/i, 'the thing by its name'],
];

interface Finding {
  place: string;
  found: string;
  instead: string;
}

function findPrivateWords(file: string, text: string): Finding[] {
  return text.split('\n').flatMap((line, index) =>
    [...identifiers, ...phrases].flatMap(([pattern, instead]) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [{ place: `${file}:${index + 1}`, found, instead }];
    }),
  );
}

test('code, comments, tests and docs use the field’s words', async () => {
  const files = globSync(['{src,rest-compat,workers,bin,test,bench,scripts,packages}/**/*.ts', 'docs/**/*.md'], {
    exclude: ['**/node_modules/**', '**/generated/**', 'test/checks/glossary.test.ts'],
  });
  expect(files.length).toBeGreaterThan(1_000);
  const found = await Promise.all(files.map(async (file) => findPrivateWords(file, await readFile(file, 'utf8'))));
  expect(found.flat(), 'Use the word that is named instead.').toEqual([]);
});

test('a private word is found, in a name as in a sentence', () => {
  const text = [
    'const mostItems = 200;',
    '// Writes this one in its stead.',
    'const maxItems = 200;',
    'const statusOf = ({ code }: Answer): number => code;',
    'export async function* rowsOf<Row>(rows: Row[]) {',
    '  async ageOf(found) {',
    'const asOf = instants.indexOf(last);',
  ].join('\n');
  expect(findPrivateWords('x.ts', text)).toMatchObject([
    { place: 'x.ts:1', found: 'mostItems' },
    { place: 'x.ts:2', found: 'in its stead' },
    { place: 'x.ts:4', found: 'const statusOf' },
    { place: 'x.ts:5', found: 'function* rowsOf' },
    { place: 'x.ts:6', found: '  async ageOf' },
  ]);
});
