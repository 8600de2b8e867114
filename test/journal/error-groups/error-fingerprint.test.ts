import { describe, expect, test } from 'vitest';
import { type Failure, fingerprint, stripValues } from '#src/journal/error-groups/error-fingerprint.rules.ts';

describe('the message of a group', () => {
  test.each([
    ['Order 4711 is unknown.', 'Order <value> is unknown.'],
    ['Order ORD-2026/17 is unknown.', 'Order <value> is unknown.'],
    ['-12.50 and +3,000.75 EUR', '<value> and <value> EUR'],
    ['The customer "Müller \\"GmbH\\"" has no address.', 'The customer <text> has no address.'],
    ["Field 'vat id' isn't a number, it's text", "Field <text> isn't a number, it's text"],
    ['GET https://erp.example.com/a/b?token=x answered 503.', 'GET <url> answered <value>.'],
    ['mail to jo.doe+x@example.co.uk bounced', 'mail to <email> bounced'],
    ['since 2026-11-27T04:00:00.123+01:00 nothing', 'since <date> nothing'],
    ['due 2026-11-27, unpaid', 'due <date>, unpaid'],
    ['run 7c9e6679-7425-40de-944b-e07fc1f90ae7 is gone', 'run <value> is gone'],
    ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED <value>'],
    ['digest abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst== differs', 'digest <value> differs'],
    ['  a\n\t b  ', 'a b'],
    ['Größe ٤٢ fehlt', 'Größe <value> fehlt'],
    ['', ''],
  ])('%j becomes %j', (message, expected) => {
    expect(stripValues(message)).toBe(expected);
  });

  test('is bounded, whatever the error is', () => {
    expect(stripValues('x '.repeat(10_000_000)).length).toBeLessThanOrEqual(500);
    for (const hostile of ['"', '\\"', "'", " '", 'a@', 'x1.', 'http://', '“', '9', '�', '=', '1 '])
      expect(stripValues(hostile.repeat(100_000)).length).toBeLessThanOrEqual(500);
  });
});

const failure: Failure = { kind: 'run', node: 'core:http_request', code: 'HTTP_ERROR', message: 'Order 1 is unknown.' };

test('failures that differ in values only have one fingerprint', () => {
  expect(fingerprint({ ...failure, message: 'Order 2 is unknown.' })).toEqual(fingerprint(failure));
  expect(fingerprint(failure).id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test.each([{ kind: 'dead_letter' as const }, { node: null }, { code: 'TIMEOUT' }, { message: 'Order 1 is closed.' }])(
  'failures that differ in %j have two',
  (difference) => {
    expect(fingerprint({ ...failure, ...difference }).id).not.toBe(fingerprint(failure).id);
  },
);
