import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { restorePem } from '#src/automation/node-api/pem.rules.ts';

const keys = [1, 2].map(() =>
  String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })),
);

test.each([
  ['line breaks that became spaces', (text: string) => text.replaceAll('\n', ' ')],
  ['lost line breaks', (text: string) => text.replaceAll('\n', '')],
  ['line breaks of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
  ['nothing wrong', (text: string) => text],
])('a chain with %s is restored', (_what, damage) => {
  expect(restorePem(damage(keys.join('')))).toBe(keys.join(''));
});

test.each(['', 'no PEM', '-----BEGIN KEY-----\nabc'])('%j stays as it is', (text) => {
  expect(restorePem(text)).toBe(text);
});
