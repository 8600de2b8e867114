import { createLocalJWKSet, exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTokenVerifier } from '#src/identity/tokens.ts';

const issuer = 'https://idp.example';
const audience = 'causeway';
const claims = { roles: 'roles', org: 'org_id', tenant: 'tenant_id', tenants: 'tenants' };
const hour = 3_600;
const now = () => Math.floor(Date.now() / 1_000);

const trusted = await generateKeyPair('ES256', { extractable: true });
const stranger = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(trusted.publicKey)), kid: 'one', alg: 'ES256' };
const verifier = createTokenVerifier({ issuer, audience, claims, keys: createLocalJWKSet({ keys: [jwk] }) });

const good = { iss: issuer, aud: audience, sub: 'someone', exp: now() + hour, roles: ['user'], org_id: 'acme' };
const sign = (payload: object, key = trusted.privateKey, alg = 'ES256') =>
  new SignJWT(payload as Record<string, unknown>).setProtectedHeader({ alg, kid: 'one' }).sign(key);

describe('a bearer token', () => {
  test('identifies its user', async () => {
    const identity = await verifier.verify(await sign({ ...good, email: 'a@example.com', name: 'A', tenants: ['x'] }));
    expect(identity).toMatchObject({
      sub: 'someone',
      roles: ['user'],
      orgId: 'acme',
      tenants: ['x'],
      tenantId: null,
      email: 'a@example.com',
    });
  });

  test('may come from one of several issuers with the same keys, and from no other', async () => {
    const both = createTokenVerifier({
      issuer: (iss) => [issuer, 'https://idp.example/two'].includes(iss),
      audience,
      claims,
      keys: createLocalJWKSet({ keys: [jwk] }),
    });
    const iss = 'https://idp.example/two';
    expect(await both.verify(await sign({ ...good, iss }))).toMatchObject({ iss, sub: 'someone' });
    for (const other of ['https://evil.example', '', undefined]) {
      await expect(both.verify(await sign({ ...good, iss: other }))).rejects.toThrow('Unauthenticated.');
    }
  });

  const secretOfPublicKey = async () => new TextEncoder().encode(await exportSPKI(trusted.publicKey));
  const tampered = async () => {
    const [header, , signature] = (await sign(good)).split('.');
    const payload = Buffer.from(JSON.stringify({ ...good, roles: ['operator'] })).toString('base64url');
    return `${header}.${payload}.${signature}`;
  };
  const bad: [string, () => Promise<string> | string][] = [
    ['is not a token', () => 'nonsense'],
    ['is empty between its dots', () => '..'],
    ['has expired', () => sign({ ...good, exp: now() - 60 })],
    ['is not valid yet', () => sign({ ...good, nbf: now() + hour })],
    ['never expires', () => sign({ ...good, exp: undefined })],
    ['names nobody', () => sign({ ...good, sub: undefined })],
    ['names an empty subject', () => sign({ ...good, sub: '' })],
    ['comes from another issuer', () => sign({ ...good, iss: 'https://evil.example' })],
    ['is for another audience', () => sign({ ...good, aud: 'elsewhere' })],
    ['is signed by a stranger', () => sign(good, stranger.privateKey)],
    [
      'is signed with the public key as a shared secret',
      async () => new SignJWT(good).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(await secretOfPublicKey()),
    ],
    ['is not signed', () => new UnsecuredJWT(good).encode()],
    ['was changed after it was signed', tampered],
    ['has roles that are not a list', () => sign({ ...good, roles: 'admin' })],
    ['has an org that is not text', () => sign({ ...good, org_id: { $ne: '' } })],
    [
      'names a key that is not there',
      () => new SignJWT(good).setProtectedHeader({ alg: 'ES256', kid: 'two' }).sign(stranger.privateKey),
    ],
  ];
  test.each(bad)('that %s is refused as unauthenticated', async (_name, make) => {
    await expect(verifier.verify(await make())).rejects.toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } });
  });

  const reasons: [string, object | string][] = [
    ['The token is not a signed JSON Web Token.', 'nonsense'],
    ['The token has expired.', { exp: now() - 60 }],
    ['The claim exp is missing.', { exp: undefined }],
    ['The claim sub is missing.', { sub: undefined }],
    ['The claim sub must not be empty.', { sub: '' }],
    [
      'The claim iss is "https://evil.example", which is not accepted. This server expects "https://idp.example".',
      { iss: 'https://evil.example' },
    ],
    ['The claim aud is "elsewhere", which is not accepted. This server expects "causeway".', { aud: 'elsewhere' }],
    ['The claim roles must be a list.', { roles: 'admin' }],
    ['The claim org_id must be a string.', { org_id: {} }],
  ];
  test.each(reasons)('that is refused has a reason for the log: %s', async (message, given) => {
    const token = typeof given === 'string' ? given : await sign({ ...good, ...given });
    await expect(verifier.verify(token)).rejects.toMatchObject({ originalError: { message } });
  });

  test('that was accepted before is refused once it has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const exp = now() + 60;
    const token = await sign({ ...good, exp });
    // Clocks may differ by five seconds.
    vi.setSystemTime((exp + 4) * 1_000);
    await verifier.verify(token);
    vi.setSystemTime((exp + 5) * 1_000);
    await expect(verifier.verify(token)).rejects.toThrow('Unauthenticated.');
  });
});
