import { describe, expect, test } from 'vitest';
import { issuerFor, readOAuthClient, sameClient } from '#src/automation/credentials/oauth/oauth-client.rules.ts';

const config = {
  authorize_url: 'https://id.example.com/authorize?access_type=offline',
  token_url: 'https://id.example.com/token',
  client_id: 'us',
  client_secret: 'secret',
  scopes: ' read write ',
};
const type = { auth_kind: 'oauth2' as const };

describe('an OAuth client', () => {
  test('is read from a config', () => {
    expect(readOAuthClient(type, config)).toEqual({
      grantType: 'authorization_code',
      user: null,
      audience: null,
      resource: null,
      discoveryUrl: null,
      authorizeUrl: config.authorize_url,
      tokenUrl: config.token_url,
      issuer: null,
      clientId: 'us',
      clientSecret: 'secret',
      scopes: 'read write',
      clientAuthentication: 'basic',
    });
  });

  test('takes values from its config first, and defaults from its type', () => {
    const fixed = {
      auth_kind: 'oauth2' as const,
      oauth2: {
        authorize_url: 'https://fixed.example/authorize',
        token_url: 'https://fixed.example/token',
        issuer: 'https://fixed.example',
        scopes: ['orders', 'stock'],
      },
    };
    const own = { client_id: 'us', token_url: 'https://own.example/token', authorize_url: '', issuer: null };
    expect(readOAuthClient(fixed, own)).toMatchObject({
      authorizeUrl: 'https://fixed.example/authorize',
      tokenUrl: 'https://own.example/token',
      issuer: 'https://fixed.example',
      scopes: 'orders stock',
      clientSecret: null,
    });
  });

  test('leaves the addresses that its config lacks to discovery', () => {
    const { token_url: _, ...rest } = config;
    const discovery = 'https://id.example.com/';
    expect(readOAuthClient(type, { ...rest, discovery_url: discovery })).toMatchObject({
      discoveryUrl: discovery,
      authorizeUrl: config.authorize_url,
      tokenUrl: null,
    });
    expect(() => readOAuthClient(type, { ...config, discovery_url: 'file:///etc/passwd' })).toThrow('discovery_url');
  });

  test.each([
    ['client_id', { ...config, client_id: '' }],
    ['token_url', { ...config, token_url: undefined }],
    ['authorize_url', { ...config, authorize_url: 'javascript:alert(1)' }],
    ['token_url', { ...config, token_url: 'file:///etc/passwd' }],
  ])('cannot be without a good %s, and says so', (field, given) => {
    expect(() => readOAuthClient(type, given)).toThrow(field);
  });

  test('is absent for a type with another kind of authentication', () => {
    expect(() => readOAuthClient({ auth_kind: 'secret' }, config)).toThrow(
      'Credential type does not use 3-legged OAuth.',
    );
  });

  test('is another one with another server or id, but the same with a renewed secret', () => {
    const of = (more: object) => sameClient(readOAuthClient(type, { ...config, ...more }));
    expect(of({ client_secret: 'renewed', scopes: 'read' })).toBe(of({}));
    for (const more of [
      { client_id: 'them' },
      { token_url: 'https://evil.example/token' },
      { issuer: 'https://x.example' },
    ]) {
      expect(of(more)).not.toBe(of({}));
    }
  });
});

describe('the issuer of a response', () => {
  const client = { ...readOAuthClient(type, config), tokenUrl: config.token_url };
  test("must match the authorisation server's host, unless an issuer is configured", () => {
    expect(issuerFor(client, null)).toBe('https://id.example.com');
    expect(issuerFor(client, 'https://id.example.com/realms/shop')).toBe('https://id.example.com/realms/shop');
    for (const named of [
      'https://evil.example',
      'http://id.example.com',
      'https://id.example.com:8443',
      'no url',
      '',
    ]) {
      expect(issuerFor(client, named)).toBeUndefined();
    }
  });

  test('must equal the configured one exactly', () => {
    const strict = { ...client, issuer: 'https://login.example.com/v2' };
    expect(issuerFor(strict, null)).toBe(strict.issuer);
    expect(issuerFor(strict, strict.issuer)).toBe(strict.issuer);
    for (const named of ['https://login.example.com/v2/', 'https://login.example.com', 'https://id.example.com']) {
      expect(issuerFor(strict, named)).toBeUndefined();
    }
  });
});
