import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSignedCursors, type CursorBounds } from '#src/infra/signing/signed-cursors.ts';

const secret = randomBytes(32);
const cursors = createSignedCursors(secret);
const bounds: CursorBounds = ['audit', 'acme-shop', null, 'workflow'];
const cursor = cursors.sign(bounds, 'next:42');

test('a cursor signed for a list is opened for it, whatever its place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (place) => {
      const given = cursors.sign(bounds, place);
      expect(given).toMatch(/^[\w-]+$/);
      expect(cursors.open(bounds, given)).toBe(place);
    }),
  );
});

test.each([
  ['another tenant', ['audit', 'acme-outlet', null, 'workflow']],
  ['another list', ['runs', 'acme-shop', null, 'workflow']],
  ['another filter', ['audit', 'acme-shop', null, 'trigger']],
  ['one filter fewer', ['audit', 'acme-shop', null]],
  ['a filter in another place', ['audit', 'acme-shop', 'workflow', null]],
  ['bounds that read the same when joined', ['audit', 'acme-shop,', null, 'workflow']],
])('a cursor is refused for %s', (_what, other) => {
  expect(cursors.open(other, cursor)).toBeUndefined();
});

test('absent and null bounds are the same', () => {
  expect(cursors.open(['audit', 'acme-shop', undefined, 'workflow'], cursor)).toBe('next:42');
});

test('one changed, missing or added character anywhere is refused', () => {
  fc.assert(
    fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AQgw09-_=.'.split('')), (at, character) => {
      const rest = cursor.slice(at + 1);
      if (cursor[at] !== character)
        expect(cursors.open(bounds, `${cursor.slice(0, at)}${character}${rest}`)).toBeUndefined();
      expect(cursors.open(bounds, cursor.slice(0, at) + rest)).toBeUndefined();
      expect(cursors.open(bounds, `${cursor.slice(0, at)}${character}${cursor.slice(at)}`)).toBeUndefined();
    }),
  );
});

test.each(['', 'x', 'aWQ6NDI', 'é', '\0', 'A'.repeat(10_000), `${cursor}=`, ` ${cursor}`])(
  'text that is not a cursor is refused: %j',
  (other) => {
    expect(cursors.open(bounds, other)).toBeUndefined();
  },
);

test('another secret opens nothing, and a weak one stops the start', () => {
  expect(createSignedCursors(randomBytes(32)).open(bounds, cursor)).toBeUndefined();
  expect(() => createSignedCursors(randomBytes(16))).toThrow('at least 32 bytes');
});
