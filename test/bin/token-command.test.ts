import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { rememberIssuer } from '#src/identity/dev-issuer.ts';
import { readEnv } from '#src/process/env.ts';
import { openIdentity } from '#src/process/identity.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'token-command-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

async function token(argv: string[], env: Record<string, string> = {}) {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(['token', ...argv], {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    env: { DATA_DIR: dataDir, ...env },
    cwd: dataDir,
  });
  return outcome;
}

describe('causeway token', () => {
  test('prints nothing but a token that a server on the same data directory accepts', async () => {
    const { verifier } = await openIdentity(readEnv({ DATA_DIR: dataDir }), 4321);
    const { out, err } = await token(['--tenant', 'demo', '--role', 'admin', '--role', 'operator', '--sub', 'ada']);
    expect(err).toBe('');
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(await verifier.verify(out.trim())).toMatchObject({
      iss: 'http://localhost:4321/dev/oidc',
      sub: 'ada',
      email: 'ada@example.com',
      orgId: 'demo-org',
      roles: ['admin', 'operator'],
      tenantId: 'demo',
    });
  });

  test('is accepted by every server on the data directory, whatever its port, and by no other', async () => {
    const first = await openIdentity(readEnv({ DATA_DIR: dataDir }), 4321);
    const second = await openIdentity(readEnv({ DATA_DIR: dataDir }), 4322);
    const { out } = await token(['--sub', 'ada']);
    for (const { verifier } of [first, second]) {
      expect(await verifier.verify(out.trim())).toMatchObject({ sub: 'ada', iss: 'http://localhost:4322/dev/oidc' });
    }
    const elsewhere = await openIdentity(readEnv({ DATA_DIR: join(dataDir, 'elsewhere') }), 4322);
    await expect(elsewhere.verifier.verify(out.trim())).rejects.toThrow('Unauthenticated.');
  });

  test("--tenant '' omits the claim, and so does another org", async () => {
    expect(decodeJwt((await token([])).out)).toMatchObject({ tenant_id: 'demo', roles: ['admin'] });
    expect(decodeJwt((await token(['--tenant', ''])).out)).not.toHaveProperty('tenant_id');
    expect(decodeJwt((await token(['--org', 'acme'])).out)).not.toHaveProperty('tenant_id');
  });

  test('uses the claim names that the server reads', async () => {
    const { out } = await token(['--role', 'user'], { OIDC_CLAIM_ROLES: 'groups', OIDC_CLAIM_ORG: 'org' });
    expect(decodeJwt(out)).toMatchObject({ groups: ['user'], org: 'demo-org' });
  });

  test('is valid for as long as --ttl says', async () => {
    const { iat = 0, exp = 0 } = decodeJwt((await token(['--ttl', '60'])).out);
    expect(exp - iat).toBe(60);
    expect(await token(['--ttl', 'soon'])).toMatchObject({ code: 2, err: expect.stringContaining('--ttl takes') });
  });

  test('is not printed if no server has run that could accept it', async () => {
    const elsewhere = join(dataDir, 'no-server');
    expect(await token([], { DATA_DIR: elsewhere })).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining(`No server has started with DATA_DIR=${elsewhere} yet. Run npm start first`),
    });
  });

  test('is refused if another issuer is configured', async () => {
    await rememberIssuer(dataDir, 'http://localhost:4321/dev/oidc');
    const outcome = await token([], { OIDC_ISSUER: 'https://id.example.com' });
    expect(outcome).toMatchObject({ code: 1, out: '', err: expect.stringContaining('https://id.example.com') });
  });
});
