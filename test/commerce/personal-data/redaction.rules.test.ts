import { describe, expect, test } from 'vitest';
import { parseExactly } from '#src/commerce/personal-data/exact-json.rules.ts';
import {
  createMatcher,
  createNameMatcher,
  faultOfText,
  likePatterns,
} from '#src/commerce/personal-data/person.rules.ts';
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
    'https://x/?next=%2Fp%3Fmail%3Dann%40example.com',
    'https://x/?phone=%2B49+341+1',
    String.raw`{"note":"line\nann@example.com"}`,
    String.raw`\u003cann@example.com\u003e`,
    '<b>ann&#64;example.com</b>',
    '&lt;b&gt;ann&amp;#x40;example&period;com&lt;/b&gt;',
    'call &plus;49 341&#32;1',
  ])('names the person: %j', (text) => {
    expect(matches(text)).toBe(true);
  });

  test.each([
    'joann@example.com',
    'x.ann@example.com',
    'x+ann@example.com',
    'https://x/?mail=x%2Bann%40example.com',
    'https://x/?mail=x%C3%A9ann%40example.com',
    String.raw`\u00e9ann@example.com`,
    'ann@example.com.au',
    'ann@example.community',
    '+49 341 12',
    'Ann Miller',
    'jo&#97;nn@example.com',
    'ann&#64;example.com.au',
  ])('does not name the person: %j', (text) => {
    expect(matches(text)).toBe(false);
  });

  test.each([
    'ann-marie@ex-ample.com',
    "o'neil!#$%&*+/=?^_`{|}~-@example.com",
    'Ann-Marie (née O’Neil) [1] \\ "2"',
    'Müller/Söhne',
  ])('of any characters is found in every form that it may be written in: %s', (text) => {
    const person = { addresses: [], also: [text], names: [text] };
    const written = [
      text,
      text.normalize('NFD'),
      text.toUpperCase(),
      encodeURIComponent(text),
      new URLSearchParams({ q: text }).toString(),
    ];
    const isChosen = (one: string): boolean =>
      likePatterns(person).some((pattern) =>
        one.toLowerCase().includes(pattern.slice(1, -1).replaceAll(/\\(.)/g, '$1').toLowerCase()),
      );
    expect(written.map(createMatcher(person))).toEqual(written.map(() => true));
    expect(written.map(isChosen)).toEqual(written.map(() => true));
    expect(createNameMatcher(person)(text.normalize('NFD'))).toBe(true);
    expect(createMatcher({ ...person, addresses: [text] })(`<${text}>`)).toBe(true);
  });

  test('names nobody of whom nothing is known any more', () => {
    expect(createMatcher({ addresses: [], also: [], names: [] })('anything')).toBe(false);
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

test.each(['M&uuml;ller', 'M&#252;ller', 'M&#xfc;ller', 'MU&#776;LLER', '&lt;n&gt;M&amp;uuml;ller&lt;/n&gt;'])(
  'a name is found as HTML and XML write it: %s',
  (text) => {
    expect(createNameMatcher({ names: ['Müller'] })(text)).toBe(true);
    expect(createNameMatcher({ names: ['Mull'] })(text)).toBe(false);
  },
);

test('reports the smallest objects that name the person, and the whole of a document that the person caused', () => {
  const document = parseExactly('{"a":[{"mail":"ann@example.com","n":1},{"mail":"bob@example.com"}]}');
  expect(redact(document, false).parts).toEqual([
    { path: 'a.0', value: parseExactly('{"mail":"ann@example.com","n":1}') },
  ]);
  expect(redact(document, true).parts).toEqual([{ path: '', value: document }]);
});
