import { globSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { InputCatalogue, InputField } from '#console/graph/input-types.ts';
import { otherSettings } from '#console/imports/bulk-jobs/new-import/settings.ts';
import { germanHelp } from '#console/words/help.de.ts';
import { declarations } from '#src/domains/domains.ts';
import { declaredForms } from './declared-forms.ts';

const { mutations, inputs } = JSON.parse(readFileSync('console/generated/inputs.json', 'utf8')) as InputCatalogue;

/** The help of fields as a form draws them: that of a group is not shown, but that of its members. */
const helpIn = (fields: readonly InputField[]): string[] =>
  fields.flatMap(({ type, isList, help }) => {
    const members = inputs[type];
    const own = help !== undefined && (isList || !members) ? [help] : [];
    return [...own, ...helpIn(members ?? [])];
  });

const pick = (input: string, names: ReadonlySet<string>) => (inputs[input] ?? []).filter(({ name }) => names.has(name));

async function shownHelp(): Promise<Set<string>> {
  const forms = await declaredForms();
  const ofActions = forms.flatMap(({ mutation, fields, explained }) => {
    const asked = pick(mutations[mutation] ?? '', new Set(fields));
    return helpIn(asked.filter(({ name }) => !explained.includes(name)));
  });
  const ofScopes = declarations.scopes.map(({ allows }) => allows);
  return new Set([...ofActions, ...ofScopes, ...helpIn(pick('ImportSettingsInput', otherSettings))]);
}

describe('the German help of forms', () => {
  let shown: Set<string>;
  beforeAll(async () => void (shown = await shownHelp()));

  test('has every description that a form shows', () => {
    expect(shown.size).toBeGreaterThan(150);
    expect(
      [...shown].filter((help) => germanHelp[help] === undefined),
      'Add them to a file of console/words/help.',
    ).toEqual([]);
  });

  test('has no other', () => {
    expect(
      Object.keys(germanHelp).filter((help) => !shown.has(help)),
      'No form shows these; remove them from console/words/help.',
    ).toEqual([]);
  });

  test('has the numbers of the English', () => {
    const numbers = (text: string) =>
      (text.replaceAll(/`[^`]*`/g, '').match(/\b\d+(?:[.,]\d+)*/g) ?? []).map((number) =>
        number.replaceAll(/[.,]/g, ''),
      );
    for (const [english, german] of Object.entries(germanHelp)) {
      expect(numbers(german), german).toEqual(numbers(english));
    }
  });

  test('knows all places that draw fields of the graph', () => {
    const places = globSync('console/**/*.tsx').filter((file) => readFileSync(file, 'utf8').includes('<FormFields'));
    expect(places.toSorted(), 'Add what another place shows to this test.').toEqual([
      'console/imports/bulk-jobs/new-import/more-settings.tsx',
      'console/ui/form/form-fields.tsx',
      'console/ui/screens/action-form.tsx',
    ]);
  });
});
