import { expect, test } from 'vitest';
import { functionHelp } from '#src/automation/expressions/function-help.ts';
import { guardedFunctions } from '#src/automation/expressions/functions.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';

/** jsonata computes these from the clock of the evaluation, so they are not among the guarded ones. */
const ofTheClock = ['now', 'millis'];

test('help is there for every function, and for nothing else', () => {
  expect(functionHelp.map(({ name }) => name).toSorted()).toEqual(
    [...guardedFunctions.keys(), ...ofTheClock].toSorted(),
  );
});

test.each(functionHelp)(
  'the example of $name yields what its help says',
  async ({ name, signature, example, yields }) => {
    expect(signature).toMatch(new RegExp(String.raw`^\$${name}\(.*\)$`));
    expect(example).toContain(`$${name}(`);
    const found = await compileTemplate(`{{ ${example} }}`).evaluate({
      trigger: { payload: null, type: 'manual', handle: null },
      nodes: {},
      run: { id: 1, started_at: '2026-01-01T00:00:00.000Z' },
      secrets: () => undefined,
    });
    expect(found).toEqual(yields);
  },
);

test('a line of help is one line', () => {
  for (const { description } of functionHelp) expect(description).toMatch(/^[^\n]{5,100}\.$/);
});
