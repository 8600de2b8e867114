import { describe, expect } from 'vitest';
import { openSecrets, readSecret } from '#src/automation/secrets/secrets.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const put = (key: string, value: unknown, as = {}) =>
  call(api, 'PUT', `/secrets/${encodeURIComponent(key)}`, { body: { value }, as });
const stored = async () => {
  const { rows } = await api.database.system.query(
    `SELECT (SELECT count(*) FROM audit_entries WHERE resource_type = 'secret') AS audited`,
  );
  const secrets = await api.database.withTenant('acme-shop', (tx) => tx.tenantSecret.count());
  return { audited: rows[0].audited as number, secrets };
};
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);
const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/);

describe('tenant secrets', () => {
  test('are created, replaced, listed by key and deleted, but never shown', async () => {
    const made = await put('ERP_TOKEN', 'canary-first');
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({ key: 'ERP_TOKEN', created_at: instant, updated_at: instant });
    const replaced = await put('ERP_TOKEN', 'canary-second');
    expect(replaced).toMatchObject({ status: 200, body: { key: 'ERP_TOKEN', created_at: made.body['created_at'] } });
    await put('A_FIRST', 'canary-third');
    const list = await call(api, 'GET', '/secrets', { as: { roles: ['user'] } });
    expect(list).toMatchObject({ status: 200, body: { data: [{ key: 'A_FIRST' }, { key: 'ERP_TOKEN' }] } });
    const one = await call(api, 'GET', '/secrets/ERP_TOKEN', { as: { roles: ['user'] } });
    expect(one.body).toEqual(replaced.body);
    for (const { text } of [made, replaced, list, one]) expect(text).not.toContain('canary');
    expect(await readSecret(api.deps, 'acme-shop', 'ERP_TOKEN')).toBe('canary-second');

    expect(await call(api, 'DELETE', '/secrets/A_FIRST')).toMatchObject({ status: 204, text: '' });
    for (const method of ['GET', 'DELETE']) {
      expect(await call(api, method, '/secrets/A_FIRST')).toMatchObject({
        status: 404,
        body: { message: 'Not found.' },
      });
    }
    expect(await readSecret(api.deps, 'acme-shop', 'A_FIRST')).toBeUndefined();
  });

  test('are encrypted in the database, and appear in the audit log by key only', async () => {
    await put('AUDITED', 'canary-audited-value');
    await put('AUDITED', 'canary-audited-other');
    await call(api, 'DELETE', '/secrets/AUDITED');
    const { rows } = await api.database.system.query(
      `SELECT action, metadata, tenant_id FROM audit_entries WHERE resource_type = 'secret' AND resource_id = 'AUDITED' ORDER BY id`,
    );
    expect(rows).toEqual(
      ['create', 'update', 'delete'].map((action) => ({ action, metadata: null, tenant_id: 'acme-shop' })),
    );
    await put('SEALED', 'canary-sealed');
    const row = await api.database.withTenant('acme-shop', (tx) =>
      tx.tenantSecret.findFirst({ where: { key: 'SEALED' } }),
    );
    expect(Buffer.from(row?.value ?? []).includes('canary')).toBe(false);
    expect(api.logLines.join('')).not.toContain('canary');
  });

  test.each(['lower', '1ST', '_A', 'A-B', 'A B', 'Ä', '', 'A'.repeat(129), 'A\0', '__proto__'])(
    'of a name that cannot be is refused when it is put, and not found otherwise: %j',
    async (key) => {
      const before = await stored();
      if (key !== '') {
        expect(await put(key, 'x')).toMatchObject({ status: 422, body: { errors: { key: [expect.any(String)] } } });
        for (const method of ['GET', 'DELETE']) {
          const answer = await call(api, method, `/secrets/${encodeURIComponent(key)}`);
          expect(answer).toMatchObject({ status: 404, body: { message: 'Not found.' } });
        }
      }
      expect(await stored()).toEqual(before);
    },
  );

  test('have keys of at most 128 characters and values of at most 64 KiB', async () => {
    const key = 'K'.repeat(128);
    expect(await put(key, '\u00e9'.repeat(32 * 1024))).toMatchObject({ status: 201, body: { key } });
    expect(await call(api, 'GET', `/secrets/${key}`)).toMatchObject({ status: 200 });
    const before = await stored();
    for (const value of [
      `${'\u00e9'.repeat(32 * 1024)}x`,
      '',
      '\0',
      'a\0b',
      '\ud800',
      7,
      null,
      true,
      ['x'],
      undefined,
    ]) {
      const answer = await put(key, value);
      expect([value, answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([value, 422, ['value']]);
    }
    expect(await stored()).toEqual(before);
    await call(api, 'DELETE', `/secrets/${key}`);
  });

  test('ignore members of their own, and refuse unknown ones', async () => {
    const body = { value: 'mine', tenant_id: 'acme-outlet', key: 'OTHER' };
    expect(await call(api, 'PUT', '/secrets/MASS', { body: { ...body, made: false } })).toMatchObject({ status: 422 });
    expect(await call(api, 'PUT', '/secrets/MASS', { body })).toMatchObject({ status: 201, body: { key: 'MASS' } });
    expect(await readSecret(api.deps, 'acme-outlet', 'MASS')).toBeUndefined();
    expect(await readSecret(api.deps, 'acme-shop', 'MASS')).toBe('mine');
    const proto = '{"__proto__":{"value":"x"}}';
    expect(await call(api, 'PUT', '/secrets/MASS', { body: proto })).toMatchObject({ status: 422 });
  });

  test('are visible only to their tenant', async () => {
    await put('OWN', 'of the shop');
    for (const tenant of ['acme-outlet', 'other-shop']) {
      const as = { tenant, ...(tenant === 'other-shop' && { org_id: 'other' }) };
      expect((await call(api, 'GET', '/secrets', { as })).body).toEqual({ data: [] });
      expect((await call(api, 'GET', '/secrets/OWN', { as })).status).toBe(404);
      expect((await call(api, 'DELETE', '/secrets/OWN', { as })).status).toBe(404);
      expect(await readSecret(api.deps, tenant, 'OWN')).toBeUndefined();
    }
    expect((await put('OWN', 'of the outlet', { tenant: 'acme-outlet' })).status).toBe(201);
    expect(await readSecret(api.deps, 'acme-shop', 'OWN')).toBe('of the shop');
  });

  test('are written by admins only', async () => {
    const before = await stored();
    const as = { roles: ['user'] };
    expect((await put('MINE', 'x', as)).status).toBe(403);
    expect((await call(api, 'DELETE', '/secrets/ERP_TOKEN', { as })).status).toBe(403);
    expect(await stored()).toEqual(before);
  });

  test('are at most 1,000 for each tenant, also under concurrent creation', async () => {
    const tenantId = 'other-shop';
    const as = { tenant: tenantId, org_id: 'other' };
    await put('SEED', 'x', as);
    await api.database.withTenant(tenantId, async (tx) => {
      const { value, keyVersion } = await tx.tenantSecret.findFirstOrThrow();
      await tx.tenantSecret.createMany({
        data: Array.from({ length: 997 }, (_, n) => ({ tenantId, key: `N_${n}`, value, keyVersion })),
      });
    });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => put(`LAST_${n}`, 'x', as)));
    expect(statuses(answers)).toEqual([201, 201, 422, 422, 422, 422]);
    expect((await put('SEED', 'replaced', as)).status).toBe(200);
    expect((await call(api, 'GET', '/secrets', { as })).body['data']).toHaveLength(1_000);
  });

  test('created twice concurrently are one secret, with one of the values', async () => {
    const answers = await Promise.all(['one', 'two', 'three'].map((value) => put('RACE', value)));
    expect(statuses(answers)).toEqual([200, 200, 201]);
    expect(['one', 'two', 'three']).toContain(await readSecret(api.deps, 'acme-shop', 'RACE'));
  });
});

describe('the secrets of a run', () => {
  test('are each read once, registered for redaction before use, and read again if they did not exist', async () => {
    await put('ONCE', 'read once');
    let reads = 0;
    const tenantQuery: Database['tenantQuery'] = (...given) => {
      reads += 1;
      return api.database.tenantQuery(...given);
    };
    const counting = { ...api.deps, database: { ...api.database, tenantQuery } };
    const heard: string[] = [];
    const secrets = openSecrets(counting, 'acme-shop', (value) => heard.push(value));
    expect(await Promise.all(Array.from({ length: 10 }, async () => secrets('ONCE')))).toEqual(
      Array(10).fill('read once'),
    );
    expect(await secrets('ONCE')).toBe('read once');
    expect([reads, heard]).toEqual([1, ['read once']]);
    expect(await secrets('LATER')).toBeUndefined();
    await put('LATER', 'now');
    expect(await secrets('LATER')).toBe('now');
    expect(reads).toBe(3);
  });
});
