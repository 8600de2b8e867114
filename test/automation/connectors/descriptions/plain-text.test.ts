import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainSentences, plainText } from '#src/automation/connectors/descriptions/plain-text.ts';

test.each([
  ['**Gets** the `order`.\n\n# Title', 'Gets the order. Title'],
  ['See [the docs](https://a.example) ![picture](x.png)', 'See the docs'],
  ['<p>One</p><ul><li>Two</li></ul>', 'One Two'],
  ['a &lt; b &amp; c', 'a < b & c'],
  ['&lt;script&gt;alert(1)&lt;/script&gt;', 'alert(1)'],
  ['<<b>script>x', 'x'],
  ['1 < 2, snake_case and * stay', '1 < 2, snake_case and * stay'],
  ['\u202eabc\u0000d', 'abc d'],
])('%j becomes %j', (text, expected) => {
  expect(plainText(text, 80)).toBe(expected);
});

test('a long text is cut at the end of a word, and sentences at the end of a sentence', () => {
  expect(plainText('Creates an order for a customer of the shop', 20)).toBe('Creates an order…');
  expect(plainText('x'.repeat(30), 20)).toBe(`${'x'.repeat(19)}…`);
  expect(plainSentences('Creates an order. Sends it by e.g. mail. Then waits for long.', 45)).toBe(
    'Creates an order. Sends it by e.g. mail.',
  );
  expect(plainSentences('One sentence that is far too long', 20)).toBe('One sentence that…');
});

test('no text has markup, a second line or more characters than are allowed', () => {
  const part = fc.constantFrom(
    '<b>',
    '</b',
    '>',
    '&lt;',
    '[',
    '](',
    ')',
    '\n',
    '😀',
    'word ',
    '`',
    '**',
    '<!--',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const text = plainText(parts.join(''), 40);
      expect(text.length).toBeLessThanOrEqual(40);
      expect(text).not.toMatch(/<[/!?a-z]|[\n\r]/i);
      expect(text.isWellFormed()).toBe(true);
    }),
  );
});
