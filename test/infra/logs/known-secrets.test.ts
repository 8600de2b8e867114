import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKnownSecrets } from '#src/infra/logs/known-secrets.ts';

const secret = fc.string({ minLength: 4, maxLength: 40 });

describe('the secrets of a run', () => {
  test('appear in no text, key, number or nested value that is recorded', () => {
    fc.assert(
      fc.property(secret, fc.json(), (text, json) => {
        fc.pre(!'[redacted]'.includes(text));
        const secrets = createKnownSecrets();
        secrets.learn(text);
        const value = {
          plain: text,
          [`key ${text}`]: 1,
          list: [`a ${text} b`, { deep: text }],
          json: JSON.parse(json) as unknown,
        };
        expect(JSON.stringify(secrets.value(value)).replaceAll('[redacted]', '')).not.toContain(
          JSON.stringify(text).slice(1, -1),
        );
      }),
    );
  });

  test('are found in their encoded forms, too', () => {
    const secrets = createKnownSecrets();
    secrets.learn('p@ss word/1');
    const header = `Basic ${Buffer.from('p@ss word/1').toString('base64')}`;
    expect(secrets.text(`${encodeURIComponent('p@ss word/1')} and ${header}`)).toBe('[redacted] and Basic [redacted]');
    secrets.learn('471100');
    expect(secrets.value({ pin: 471100, other: 471101 })).toEqual({ pin: '[redacted]', other: 471101 });
  });

  test('leave values unchanged while there are none', () => {
    const value = { at: new Date(0), undefined };
    expect(createKnownSecrets().value(value)).toBe(value);
  });
});
