import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changesAuthorisation,
  changesSecrets,
  findExpiry,
  readConfig,
  withStoredSecrets,
} from '#src/automation/credentials/credentials.rules.ts';
import type { CredentialField } from '#src/automation/node-api/manifest.ts';
import { ValidationError } from '#src/infra/errors.ts';

const key = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const fields = fc.uniqueArray(
  fc.record({ key, type: fc.constantFrom<CredentialField['type']>('string', 'secret', 'number', 'boolean', 'json') }),
  { selector: (field) => field.key, minLength: 1, maxLength: 8 },
);
const text = fc
  .string({ minLength: 1, maxLength: 20 })
  .filter((value) => !value.includes('\0') && value.isWellFormed());
const valueFor = ({ type }: Pick<CredentialField, 'type'>) =>
  type === 'number' ? fc.double({ noNaN: true, noDefaultInfinity: true }) : type === 'boolean' ? fc.boolean() : text;
const fieldsAndValues = fields.chain((known) =>
  fc.tuple(
    fc.constant(known),
    fc.record(Object.fromEntries(known.map((field) => [field.key, valueFor(field)])), { requiredKeys: [] }),
  ),
);

describe('a config', () => {
  test('is split into public and secret fields, and loses none', () => {
    fc.assert(
      fc.property(fieldsAndValues, ([known, given]) => {
        const { values, publicConfig } = readConfig({ fields: known }, given);
        expect(values).toEqual(given);
        const secret = known.filter(({ type }) => type === 'secret').map((field) => field.key);
        expect(Object.keys(publicConfig).filter((shown) => secret.includes(shown))).toEqual([]);
        expect({
          ...publicConfig,
          ...Object.fromEntries(Object.entries(given).filter(([k]) => secret.includes(k))),
        }).toEqual(given);
      }),
    );
  });

  test('is unchanged after an editor that sees no secrets saves it', () => {
    fc.assert(
      fc.property(fieldsAndValues, ([known, given]) => {
        const { values, publicConfig } = readConfig({ fields: known }, given);
        const saved = readConfig(
          { fields: known },
          withStoredSecrets(known, publicConfig as Record<string, unknown>, values),
        );
        expect(saved.values).toEqual(values);
        expect(changesSecrets(known, values, saved.values)).toBe(false);
      }),
    );
  });

  test('never repeats its values in validation messages', () => {
    fc.assert(
      fc.property(fieldsAndValues, ([known, given]) => {
        const wrong = Object.fromEntries(
          Object.entries(given).map(([k, value]) => [k, [`canary ${JSON.stringify(value)}`]]),
        );
        try {
          readConfig({ fields: known }, wrong);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationError);
          expect(Object.keys((error as ValidationError).fields)).toEqual(['config']);
          expect(JSON.stringify((error as ValidationError).fields)).not.toContain('canary');
        }
      }),
    );
  });
});

test('a new client or server needs a new authorisation, a renewed secret does not', () => {
  const config = {
    authorize_url: 'https://a',
    token_url: 'https://t',
    client_id: 'c',
    client_secret: 's',
    scopes: 'x',
  };
  for (const field of ['discovery_url', 'authorize_url', 'token_url', 'client_id', 'issuer']) {
    expect(changesAuthorisation(config, { ...config, [field]: 'other' })).toBe(true);
  }
  for (const field of ['client_secret', 'scopes', 'test_url']) {
    expect(changesAuthorisation(config, { ...config, [field]: 'other' })).toBe(false);
  }
});

test('the earliest expiry of its secrets is read from JWTs only', () => {
  const token = { key: 'token', type: 'secret' } as const;
  const other = { key: 'other', type: 'secret' } as const;
  const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
  expect(findExpiry([token, other], { token: jwt({ exp: 2_000 }), other: jwt({ exp: 1_000 }) })).toEqual(
    new Date(1_000_000),
  );
  expect(findExpiry([token], { token: jwt({ exp: 1_000 }), other: jwt({ exp: 1 }) })).toEqual(new Date(1_000_000));
  expect(findExpiry([{ key: 'token', type: 'string' }], { token: jwt({ exp: 1_000 }) })).toBeNull();
  fc.assert(
    fc.property(fc.jsonValue(), (claims) => {
      const end = findExpiry([token], { token: jwt(claims) });
      expect(end === null || !Number.isNaN(end.getTime())).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(findExpiry([token], { token: value })).toBeNull();
    }),
  );
});
