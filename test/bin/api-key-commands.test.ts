import { describe, expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

async function causeway({ databaseUrl }: TestApp, ...argv: string[]) {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(['api-key', ...argv], {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    env: { DATABASE_URL: databaseUrl },
    cwd: '/',
  });
  return outcome;
}
const tenant = ['--tenant', 'acme-shop'];

async function readStatus({ app }: TestApp, key: string): Promise<number> {
  const headers = { 'x-platform-api-key': key.trim(), 'x-platform-tenant': 'acme-shop' };
  return (await app.inject({ url: '/v1/openapi.json', headers })).statusCode;
}

describe('api-key', () => {
  test('creates, lists, rotates and revokes keys that work immediately', async ({ api }) => {
    const made = await causeway(api, 'create', ...tenant, '--name', 'ERP', '--scope', '*');
    expect(made).toEqual({ code: 0, out: expect.stringMatching(/^cw_\w{12}_\w{43}\n$/), err: '' });
    expect(await readStatus(api, made.out)).toBe(200);

    const { keys } = JSON.parse((await causeway(api, 'list', ...tenant, '--json')).out);
    expect(keys).toMatchObject([{ name: 'ERP', scopes: ['*'], prefix: made.out.split('_')[1], revoked_at: null }]);
    const id = String(keys[0].id);
    expect((await causeway(api, 'list', ...tenant)).out).toContain(
      `${id}  ERP  cw_${keys[0].prefix}_...  *  last used 2`,
    );

    const rotated = await causeway(api, 'rotate', id, ...tenant, '--overlap-hours', '1');
    expect([await readStatus(api, made.out), await readStatus(api, rotated.out)]).toEqual([200, 200]);

    expect(await causeway(api, 'revoke', id, ...tenant)).toMatchObject({ code: 0, err: '' });
    expect([await readStatus(api, made.out), await readStatus(api, rotated.out)]).toEqual([401, 200]);
  });

  test.for([
    [['create', ...tenant, '--name', 'ERP'], 2, 'Name the key and what it may do'],
    [['create', '--name', 'ERP', '--scope', '*'], 2, 'Name the tenant, with --tenant.'],
    [['create', ...tenant, '--name', 'ERP', '--scope', '*', '--expires', 'soon'], 2, '--expires takes an instant'],
    [['create', ...tenant, '--name', 'ERP', '--scope', 'orders:fly'], 1, 'Unknown: orders:fly.'],
    [['create', '--tenant', 'nobody', '--name', 'ERP', '--scope', '*'], 1, 'There is no tenant nobody.'],
    [['rotate', ...tenant], 2, 'Name one key by its id'],
    [['rotate', '7', ...tenant, '--overlap-hours', 'few'], 2, '--overlap-hours takes whole hours'],
    [['revoke', '999', ...tenant], 1, 'Not found.'],
  ] as const)('refuses %j', async ([argv, code, message], { api }) => {
    expect(await causeway(api, ...argv)).toMatchObject({ code, err: expect.stringContaining(message) });
  });
});
