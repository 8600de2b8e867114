import { describe, expect, test } from 'vitest';
import { helpForForms, impliedDefault } from '#scripts/form-help.ts';

describe('The help of a field', () => {
  test.each([
    ['1 to 191 characters; null leaves it as it is.', ''],
    ['Null clears it; left out, it stays.', ''],
    ['Null clears them; left out, they stay.', ''],
    ['Null empties it.', ''],
    ['A letter, then letters and `_`: `^[a-z][a-z_]{0,62}$`.', 'A letter, then letters and `_`.'],
    ['Left out: true.', ''],
    ['0 or more; null clears it.', '0 or more.'],
    ['Around cells; left out: `"`. Empty: quotes are text.', 'Around cells; empty: `"`.'],
    ['Unique in the tenant, 1 to 191 characters; it never changes.', 'Unique in the tenant; it never changes.'],
    ['Of a select, at most 100 of 1 to 191 characters.', 'Of a select, at most 100 of 1 to 191 characters.'],
    ['Signs deliveries; 16 to 1,024 characters.', 'Signs deliveries; 16 to 1,024 characters.'],
  ])('leaves out of %j what only programs need', (description, help) => expect(helpForForms(description)).toBe(help));

  test.each([
    ['Null: every market; left out, it stays.', 'Empty: every market.'],
    ['When the goods moved; left out: now.', 'When the goods moved; empty: now.'],
    ['Signs deliveries. Null removes it.', 'Signs deliveries. Empty removes it.'],
    ['Days; null keeps it for ever.', 'Days; empty keeps it for ever.'],
  ])('says of %j what an empty field means', (description, help) => expect(helpForForms(description)).toBe(help));

  test('leaves the default of a box that only the description names to the box', () => {
    expect(impliedDefault('Left out: true.')).toBe('true');
    expect(impliedDefault('When the goods moved; left out: now.')).toBeUndefined();
  });
});
