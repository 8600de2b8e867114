import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Words that stand for "New ...", "Add ..." and "Edit" and that no button begins or, in German, ends with. */
const others = /^(Create|Change|Update|Modify)( [^.]*)?$|^([^.]* )?([Ää]ndern|[Aa]nlegen|[Ee]rstellen)$/;

/** The button of a form whose label is what it creates, and a heading that is no button. */
const allowed = new Set(['Create', 'Anlegen', 'Einstellungen, die sich ändern']);

test('buttons say by one rule that they make, add or edit something', () => {
  const files = globSync('console/**/*.words.ts');
  const texts = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/: '([^']{1,40})',/g)].map(([, text = '']) => ({ file, text })),
  );
  expect(texts.length).toBeGreaterThan(2000);
  expect(
    texts.filter(({ text }) => others.test(text) && !allowed.has(text)),
    'Say it as the rule in console/words/words.ts has it.',
  ).toEqual([]);
});
