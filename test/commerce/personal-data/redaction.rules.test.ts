import { describe, expect, test } from 'vitest';
import { parseExactly } from '#src/commerce/personal-data/exact-json.rules.ts';
import { createMatcher, faultOfText } from '#src/commerce/personal-data/person.rules.ts';
import { createRedactor } from '#src/commerce/personal-data/redaction.rules.ts';

const ann = { addresses: ['ann@example.com'], also: ['+49 341 1'], names: ['Ann', 'Ann Miller', 'Am Tor 1'] };

describe('a text', () => {
  const matches = createMatcher(ann);

  test.each([
    'ann@example.com',
    'Write to ANN@Example.com.',
    '<ann@example.com>',
    'https://x/?mail=ann%40example.com&a=1',
    'line\nann@example.com',
    'call +49 341 1!',
  ])('names the person: %j', (text) => {
    expect(matches(text)).toBe(true);
  });

  test.each([
    'joann@example.com',
    'x.ann@example.com',
    'x+ann@example.com',
    'ann@example.com.au',
    'ann@example.community',
    '+49 341 12',
    'Ann Miller',
  ])('does not name the person: %j', (text) => {
    expect(matches(text)).toBe(false);
  });

  test('of fewer than four characters is refused as too common', () => {
    expect(faultOfText('+4')).toContain('fewer than four');
    expect(faultOfText('+491')).toBeUndefined();
  });
});

const redact = createRedactor(ann);
const redacted = (text: string, isOwn = false): string => JSON.stringify(redact(parseExactly(text), isOwn).value);

test.each([
  ['a value that holds the address', '{"to":"Ann <ann@example.com>","n":1.10}', '{"to":"erased","n":1.10}'],
  [
    'names beside the address',
    '{"mail":"ann@example.com","first":"Ann","of":{"full":"Ann Miller"}}',
    '{"mail":"erased","first":"erased","of":{"full":"erased"}}',
  ],
  ['no name elsewhere', '[{"mail":"ann@example.com"},{"first":"Ann"}]', '[{"mail":"erased"},{"first":"Ann"}]'],
  ['keys', '{"ann@example.com":1,"erased":2}', '{"erased-2":1,"erased":2}'],
  [
    'the parts of a postal address but its country',
    '{"mail":"ann@example.com","at":{"street":"X","city":"Y","country":"DE"}}',
    '{"mail":"erased","at":{"street":null,"city":null,"country":"DE"}}',
  ],
  [
    'numbers as they are',
    '{"m":"ann@example.com","a":123456789012345678901234567890.10,"b":1e300}',
    '{"m":"erased","a":123456789012345678901234567890.10,"b":1e300}',
  ],
])('takes out %s', (_, document, expected) => {
  expect(redacted(document)).toBe(expected);
  expect(redact(parseExactly(expected), false).parts).toEqual([]);
});

test('takes names out of what the person caused, but not those of an object with another address', () => {
  expect(
    redacted(
      '{"xml":"<n>Ann Miller</n>","short":"Ann","word":"Annual","rep":{"mail":"bob@example.com","first":"Ann"}}',
      true,
    ),
  ).toBe('{"xml":"erased","short":"erased","word":"Annual","rep":{"mail":"bob@example.com","first":"Ann"}}');
  expect(redacted('{"short":"Ann"}')).toBe('{"short":"Ann"}');
});

test('reports the smallest objects that name the person, and the whole of a document that the person caused', () => {
  const document = parseExactly('{"a":[{"mail":"ann@example.com","n":1},{"mail":"bob@example.com"}]}');
  expect(redact(document, false).parts).toEqual([
    { path: 'a.0', value: parseExactly('{"mail":"ann@example.com","n":1}') },
  ]);
  expect(redact(document, true).parts).toEqual([{ path: '', value: document }]);
});
