import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUrlSigner } from '#src/infra/signing/signed-url.ts';

const secret = randomBytes(32);
const images = createUrlSigner(secret, 'images');
const now = Date.parse('2030-01-01T00:00:00Z');
const query = images.sign('42', { ttlSeconds: 60, now });

test('a signed URL is accepted until it expires', () => {
  expect(query.expires).toBe(now / 1_000 + 60);
  expect(() => images.verify('42', query, now + 59_999)).not.toThrow();
  expect(() => images.verify('42', { ...query, expires: String(query.expires) }, now)).not.toThrow();
  expect(() => images.verify('42', query, now + 60_000)).toThrow('Invalid signature.');
});

test.each([
  ['another id', '43', query],
  ['a later expiry', '42', { ...query, expires: query.expires + 1 }],
  ['an expiry in another spelling', '42', { ...query, expires: `0${query.expires}` }],
  ['an expiry with a sign', '42', { ...query, expires: `+${query.expires}` }],
  ['an expiry as a float', '42', { ...query, expires: `${query.expires}.0` }],
  ['no expiry', '42', { signature: query.signature }],
  ['no signature', '42', { expires: query.expires }],
  ['an empty signature', '42', { ...query, signature: '' }],
  ['a shorter signature', '42', { ...query, signature: query.signature.slice(0, -2) }],
  ['a padded signature', '42', { ...query, signature: `${query.signature}=` }],
  ['a repeated signature', '42', { ...query, signature: [query.signature, query.signature] }],
  ['a moved boundary between expiry and id', '.42', { ...query, expires: query.expires }],
])('%s is refused', (_what, id, tampered) => {
  expect(() => images.verify(id, tampered, now)).toThrow(expect.objectContaining({ code: 'INVALID_SIGNATURE' }));
});

test('a signature for one purpose or secret is valid for no other', () => {
  expect(() => createUrlSigner(secret, 'exports').verify('42', query, now)).toThrow('Invalid signature.');
  expect(() => createUrlSigner(randomBytes(32), 'images').verify('42', query, now)).toThrow('Invalid signature.');
});

test('one changed character anywhere is refused', () => {
  fc.assert(
    fc.property(
      fc.nat(query.signature.length - 1),
      fc.constantFrom('A', 'B', 'x', 'z', '0', '9', '-', '_'),
      (at, character) => {
        fc.pre(query.signature[at] !== character);
        const signature = query.signature.slice(0, at) + character + query.signature.slice(at + 1);
        expect(() => images.verify('42', { ...query, signature }, now)).toThrow('Invalid signature.');
      },
    ),
  );
});

test('a weak secret stops the start', () => {
  expect(() => createUrlSigner(randomBytes(16), 'images')).toThrow('at least 32 bytes');
});
