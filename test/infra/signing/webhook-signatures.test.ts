import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  messageSecretFault,
  signBody,
  signMessage,
  verifyBody,
  verifyMessage,
} from '#src/infra/signing/webhook-signatures.ts';

const body = Buffer.from('{"test": 2432232314}');

describe('v0', () => {
  test('uses the bytes of the complete secret as its key', () => {
    // From `printf '{"test": 2432232314}' | openssl dgst -sha256 -hmac 'a secret of an ERP'`.
    expect(signBody(body, ['a secret of an ERP'])).toBe(
      'v0=f49b85b9b9f8d5693fd5b4b261152a4a75f0b932b877ef0515243871a1c114ad',
    );
  });

  test('sends a signature for each secret, and accepts any of ten candidates', () => {
    const header = signBody(body, ['new secret of an ERP', 'old secret of an ERP']);
    expect(header.split(',')).toHaveLength(2);
    const others = Array.from({ length: 9 }, (_, index) => signBody(body, [`other secret ${index}`]));
    expect(verifyBody(body, [...others, header.split(',')[1]].join(', '), ['old secret of an ERP'])).toBe(true);
    expect(verifyBody(body, others.join(','), ['old secret of an ERP'])).toBe(false);
  });

  test.each([
    ['none', () => ''],
    ['one that is cut', (header: string) => header.slice(0, -1)],
    ['one with its version in capitals', (header: string) => header.replace('v0=', 'V0=')],
    ['one of another version', (header: string) => header.replace('v0=', 'v1=')],
    ['one without its version', (header: string) => header.replace('v0=', '')],
  ])('refuses %s', (_what, change) => {
    expect(verifyBody(body, change(signBody(body, ['a secret of an ERP'])), ['a secret of an ERP'])).toBe(false);
  });
});

test('v0 accepts upper-case hex, which some libraries write', () => {
  const header = signBody(body, ['a secret of an ERP']).replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase());
  expect(verifyBody(body, header, ['a secret of an ERP'])).toBe(true);
});

describe('Standard Webhooks', () => {
  // The example of the specification's own libraries.
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  test('signs like its own libraries', () => {
    expect(signMessage(message, [secret])).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('uses the bytes that a secret encodes as its key, or those of a plain secret', () => {
    const encoded = `whsec_${Buffer.from('a secret of an ERP').toString('base64')}`;
    expect(signMessage(message, ['a secret of an ERP'])).toBe(signMessage(message, [encoded]));
    expect(signMessage(message, ['whsec_not base64!'])).not.toBe(signMessage(message, ['not base64!']));
  });

  test('reads a secret with a version prefix', () => {
    expect(signMessage(message, [`v1,${secret}`])).toBe(signMessage(message, [secret]));
    expect(messageSecretFault(`v1,${secret}`)).toBeNull();
  });

  test.each([
    ['whsec_not base64!', 'is not base64'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=', 'is not base64'],
    ['v1,whsec_', 'is not base64'],
    ['WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'is not base64'],
    [` ${secret}`, 'is not base64'],
    [`whsec_${Buffer.from('fifteen letters').toString('base64')}`, 'has 15 bytes'],
    ['fifteen letters', 'has 15 bytes'],
    ['a secret of an ERP', null],
    [secret, null],
  ])('says of the secret %s that it: %s', (given, fault) => {
    expect(messageSecretFault(given)).toEqual(fault === null ? null : expect.stringContaining(fault));
  });

  test('is bound to the id, the time and the body', () => {
    const header = signMessage(message, ['new secret of an ERP', secret]);
    expect(verifyMessage(message, header, [secret])).toBe(true);
    expect(verifyMessage({ ...message, id: 'msg_other' }, header, [secret])).toBe(false);
    expect(verifyMessage({ ...message, timestamp: '1614265331' }, header, [secret])).toBe(false);
    expect(verifyMessage({ ...message, body: Buffer.from('{"test":2432232314}') }, header, [secret])).toBe(false);
    expect(verifyMessage(message, header.toLowerCase(), [secret])).toBe(false);
  });
});

test('a signed body verifies, and no other does', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), fc.string({ minLength: 16 }), (sent, other, secret) => {
      const message = { id: 'a', timestamp: '1', body: sent };
      expect(verifyBody(sent, signBody(sent, [secret]), [secret])).toBe(true);
      expect(verifyMessage(message, signMessage(message, [secret]), [secret])).toBe(true);
      if (Buffer.compare(sent, other) === 0) return;
      expect(verifyBody(other, signBody(sent, [secret]), [secret])).toBe(false);
      expect(verifyMessage({ ...message, body: other }, signMessage(message, [secret]), [secret])).toBe(false);
    }),
  );
});
