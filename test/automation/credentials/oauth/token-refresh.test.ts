import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { readCredential, sealConfig } from '#src/automation/credentials/credentials.store.ts';
import { noticeExpiries } from '#src/automation/credentials/expiry-notices.service.ts';
import { AccessTokenError } from '#src/automation/credentials/oauth/access-token.rules.ts';
import {
  accessToken,
  refreshesSettled,
  replaceRejected,
} from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type OAuthWorld, startOAuthWorld } from './connect.ts';

let world: OAuthWorld;
let owner: pg.Client;
test.beforeAll(async ({ api }) => {
  world = await startOAuthWorld(api);
  owner = new pg.Client({ connectionString: world.api.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await world.close();
});

const tenantId = 'acme-shop';
const token = (id: number, api: TestApp = world.api) => accessToken(api.deps, tenantId, BigInt(id));
const stored = async (id: number) => (await readCredential(world.api.deps, tenantId, BigInt(id)))?.grant ?? {};
const refusal = (work: Promise<unknown>): Promise<AccessTokenError> =>
  work.then(
    () => expect.unreachable(),
    (error: AccessTokenError) => {
      expect(error).toBeInstanceOf(AccessTokenError);
      return error;
    },
  );

/**
 * A credential whose access token is due for a refresh. The row says that a refresh is due; whether the token is still valid is encrypted.
 */
async function due(config?: Record<string, string>): Promise<number> {
  const id = await world.connect(config);
  await makeDue(id);
  return id;
}
const makeDue = (id: number) =>
  owner.query(`UPDATE credentials SET refresh_at = now() - interval '1 s' WHERE id = $1`, [id]);
const row = async (id: number): Promise<Record<string, unknown>> =>
  (
    await owner.query<Record<string, unknown>>(
      'SELECT status, grant_version, refresh_lease, refresh_at, expires_at FROM credentials WHERE id = $1',
      [id],
    )
  ).rows[0] ?? {};

async function countRequests(work: () => Promise<unknown>): Promise<number> {
  const before = world.provider.tokenRequests;
  await work();
  return world.provider.tokenRequests - before;
}

describe('an access token', () => {
  test('that is still valid is returned unchanged', async () => {
    const id = await world.connect();
    const { access_token: granted } = await stored(id);
    expect(await countRequests(async () => expect(await token(id)).toBe(granted))).toBe(0);
    const { refresh_at: refreshAt } = await row(id);
    const ahead = (refreshAt as Date).getTime() - Date.now();
    expect(ahead).toBeGreaterThan(3_500_000);
    expect(ahead).toBeLessThanOrEqual(3_540_000);
  });

  test('that is due is refreshed, and the rotated refresh token is kept', async () => {
    const id = await due();
    const before = await stored(id);
    const fresh = await token(id);
    const after = await stored(id);
    expect(fresh).not.toBe(before['access_token']);
    expect(after['access_token']).toBe(fresh);
    expect(after['refresh_token']).not.toBe(before['refresh_token']);
    expect(await row(id)).toMatchObject({ status: 'active', grant_version: 2, refresh_lease: null });
    // And so on: each refresh token is good once.
    await makeDue(id);
    expect(await token(id)).not.toBe(fresh);
  });

  test('is refused for a credential that is not connected, unknown, or of another tenant', async () => {
    const pending = await world.create();
    expect(await refusal(token(pending))).toMatchObject({ isRetryable: false, code: 'UNPROCESSABLE' });
    await expect(token(999_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const id = await world.connect();
    await expect(accessToken(world.api.deps, 'acme-outlet', BigInt(id))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('calls of five processes', () => {
  let others: TestApp[];
  test.beforeAll(async ({ startBeside }) => {
    others = await Promise.all(Array.from({ length: 4 }, () => startBeside()));
    for (const { egressAllow } of others) egressAllow.add(world.provider.host);
  });
  /** Fifty processes' worth of callers: what a process shares among its own goes by its database. */
  const strangers = (id: number) =>
    Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const { deps } = [world.api, ...others][index % 5] ?? world.api;
        return accessToken({ ...deps, database: { ...deps.database } }, tenantId, BigInt(id));
      }),
    );
  const everywhere = (id: number) =>
    Promise.all(Array.from({ length: 50 }, (_, index) => token(id, [world.api, ...others][index % 5])));

  test('refresh one credential once, and all get the new token', async () => {
    for (const [calls, holdMs] of [
      [everywhere, 0],
      [everywhere, 700],
      [strangers, 0],
      [strangers, 700],
    ] as const) {
      const id = await due();
      await world.endAccessToken(id);
      setTimeout(world.provider.hold(), holdMs);
      const tokens: string[] = [];
      expect(await countRequests(async () => void tokens.push(...(await calls(id))))).toBe(1);
      expect(new Set(tokens)).toEqual(new Set([(await stored(id))['access_token']]));
      expect(tokens).toHaveLength(50);
    }
  });

  test('replace a rejected access token once, however many got the 401', async () => {
    const id = await world.connect();
    const rejected = String((await stored(id))['access_token']);
    const tokens: (string | undefined)[] = [];
    const asked = await countRequests(async () => {
      const replacing = Array.from({ length: 20 }, (_, index) => {
        const { deps } = [world.api, ...others][index % 5] ?? world.api;
        return replaceRejected({ ...deps, refreshes: new Map() }, { tenantId, id: BigInt(id) }, rejected);
      });
      tokens.push(...(await Promise.all(replacing)));
    });
    expect(asked).toBe(1);
    expect(new Set(tokens)).toEqual(new Set([(await stored(id))['access_token']]));
    expect(tokens).not.toContain(rejected);
  });

  test('take over from a dead holder once its lease expires', async () => {
    const id = await due();
    await world.endAccessToken(id);
    const started = performance.now();
    await lease(id, 1_500);
    expect(await countRequests(() => everywhere(id))).toBe(1);
    expect(performance.now() - started).toBeGreaterThan(1_300);
    expect(await row(id)).toMatchObject({ status: 'active', refresh_lease: null });
  });

  test('do not wait for a holder while the token is still valid', async () => {
    const id = await due();
    const { access_token: still } = await stored(id);
    await lease(id, 20_000);
    expect(await countRequests(async () => expect(new Set(await everywhere(id))).toEqual(new Set([still])))).toBe(0);
  });
});

describe('a provider', () => {
  test('that is down leaves the credential unchanged, and a valid token in use', async () => {
    const id = await due();
    const { access_token: still } = await stored(id);
    for (const mode of ['down', 'failing', 'busy'] as const) {
      world.provider.mode = mode;
      expect(await token(id)).toBe(still);
      await rested(id);
    }
    await world.endAccessToken(id);
    for (const mode of ['down', 'failing', 'busy'] as const) {
      world.provider.mode = mode;
      expect(await refusal(token(id))).toMatchObject({ isRetryable: true, code: 'UNAVAILABLE' });
      expect(await row(id)).toMatchObject({ status: 'active', grant_version: expect.any(Number) });
      await rested(id);
    }
    world.provider.mode = 'up';
    expect(await token(id)).not.toBe(still);
  });

  test('that revoked the grant makes the credential revoked, with an event and an audit row', async () => {
    const id = await due();
    const { access_token: granted } = await stored(id);
    await world.provider.revoke(String(granted));
    const error = await refusal(token(id));
    expect(error).toMatchObject({ isRetryable: false, message: expect.stringContaining('Reconnect it') });
    expect(await world.status(id)).toBe('revoked');
    expect(await countRequests(() => refusal(token(id)))).toBe(0);
    const { rows: events } = await owner.query(
      `SELECT topic, data FROM outbox_events WHERE topic LIKE 'credential.%' AND (data ->> 'credential_id')::int = $1`,
      [id],
    );
    expect(events).toEqual([
      {
        topic: 'credential.revoked',
        data: { credential_id: id, name: expect.any(String), credential_type_slug: 'core:oauth2' },
      },
    ]);
    const { rows: audited } = await owner.query(
      `SELECT via_system, org_id, metadata FROM audit_entries WHERE resource_type = 'credential' AND resource_id = $1
       ORDER BY id DESC LIMIT 1`,
      [String(id)],
    );
    expect(audited).toEqual([
      { via_system: true, org_id: 'acme', metadata: { oauth: 'revoked', reason: 'invalid_grant' } },
    ]);
    // Connecting it again is all it takes.
    expect((await world.callback(await world.granted(id))).status).toBe(200);
    expect(await world.status(id)).toBe('active');
  });

  test("that refuses after the grant's expiry makes it expired", async () => {
    const id = await due();
    await world.provider.revoke(String((await stored(id))['access_token']));
    await owner.query('UPDATE credentials SET expires_at = now() WHERE id = $1', [id]);
    expect(await refusal(token(id))).toMatchObject({ message: expect.stringContaining('expired') });
    expect(await world.status(id)).toBe('expired');
    // Published once, with what watches the ends of all credentials.
    await noticeExpiries(world.api.deps);
    const { rows: events } = await owner.query(
      `SELECT topic, data FROM outbox_events WHERE (data ->> 'credential_id')::int = $1`,
      [id],
    );
    expect(events).toEqual([{ topic: 'credential.expired', data: expect.objectContaining({ days_left: 0 }) }]);
  });

  test('that refuses the client leaves the status alone, and says what to check', async () => {
    const id = await due();
    const config = { ...world.provider.config(), client_secret: 'wrong-secret-canary' };
    await replaceConfig(id, config);
    await world.endAccessToken(id);
    expect(await refusal(token(id))).toMatchObject({
      isRetryable: false,
      message: expect.stringContaining('invalid_client'),
    });
    expect(await world.status(id)).toBe('active');
    await replaceConfig(id, world.provider.config());
    await rested(id);
    expect(await token(id)).toMatch(/./);
  });
});

describe('a refresh', () => {
  /** Starts one whose request waits at the provider, and returns the function that lets it through. */
  async function held(id: number) {
    const letIn = world.provider.hold();
    const before = world.provider.tokenRequests;
    const fresh = token(id);
    while (world.provider.tokenRequests === before) await delay(5);
    return { fresh, letIn };
  }

  test('whose answer arrives during a database outage is stored afterwards', async () => {
    const id = await due();
    await world.endAccessToken(id);
    const { fresh, letIn } = await held(id);
    await withoutDatabase(async () => {
      letIn();
      await delay(1_000);
    });
    const got = await fresh;
    expect(await stored(id)).toMatchObject({ access_token: got });
    await makeDue(id);
    expect(await token(id)).not.toBe(got);
  });

  test('that finishes after a new authorisation leaves the new grant in place', async () => {
    const id = await due();
    const query = await world.granted(id);
    await world.endAccessToken(id);
    const { fresh, letIn } = await held(id);
    expect((await world.callback(query)).status).toBe(200);
    const { access_token: connected } = await stored(id);
    letIn();
    expect(await fresh).toBe(connected);
    expect(await stored(id)).toMatchObject({ access_token: connected });
    expect(await world.status(id)).toBe('active');
  });

  test('that lost its lease stores its token, and the new holder, whose refresh is refused, uses that', async ({
    startBeside,
  }) => {
    const id = await due();
    await world.endAccessToken(id);
    const other = await startBeside();
    other.egressAllow.add(world.provider.host);
    const { fresh, letIn } = await held(id);
    await owner.query('UPDATE credentials SET refresh_lease_until = now() WHERE id = $1', [id]);
    const letOtherIn = world.provider.hold();
    const before = world.provider.tokenRequests;
    const late = token(id, other);
    while (world.provider.tokenRequests === before) await delay(5);
    letIn();
    const got = await fresh;
    // It comes with the refresh token that the first one has used.
    letOtherIn();
    expect(await late).toBe(got);
    expect(await stored(id)).toMatchObject({ access_token: got });
    expect(await row(id)).toMatchObject({ status: 'active', grant_version: 2 });
  });

  test('finishes without its callers, and before its process exits', async () => {
    const id = await due();
    const { access_token: still } = await stored(id);
    const { fresh, letIn } = await held(id);
    expect(await fresh).toBe(still);
    const settled = refreshesSettled(world.api.deps);
    letIn();
    await settled;
    expect(await row(id)).toMatchObject({ grant_version: 2, refresh_lease: null });
  });
});

test('tokens and secrets appear in no log line, audit row or event', async () => {
  const { rows: ids } = await owner.query<{ id: string }>('SELECT id FROM credentials');
  const grants = await Promise.all(ids.map(({ id }) => stored(Number(id))));
  const secrets = [
    'first-client-secret-canary',
    'wrong-secret-canary',
    ...grants.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token]),
  ].filter((secret): secret is string => typeof secret === 'string');
  expect(secrets.length).toBeGreaterThan(10);
  const { rows } = await owner.query(
    'SELECT a::text FROM audit_entries a UNION ALL SELECT e::text FROM outbox_events e',
  );
  const { body } = await call(world.api, 'GET', '/credentials');
  const told = [...world.api.logLines, JSON.stringify(rows), JSON.stringify(body)].join('\n');
  expect(told).toContain('could not be refreshed');
  for (const secret of secrets) expect(told).not.toContain(secret);
});

const lease = (id: number, forMs: number) =>
  owner.query(
    `UPDATE credentials SET refresh_lease = gen_random_uuid(), refresh_lease_until = now() + $2 * interval '1 ms' WHERE id = $1`,
    [id, forMs],
  );

/** A provider that failed is left alone for a moment; this one has had it. */
const rested = (id: number) =>
  owner.query('UPDATE credentials SET refresh_lease = NULL, refresh_lease_until = NULL WHERE id = $1', [id]);

/** Changes the config beneath the service, which would ask to connect anew. */
async function replaceConfig(id: number, config: object): Promise<void> {
  const key = { tenantId, id: BigInt(id) };
  await world.api.database.withTenant(tenantId, async (tx) => {
    const data = await sealConfig(world.api.deps, tx, key, config);
    await tx.credential.update({ where: { tenantId_id: key }, data, select: { id: true } });
  });
}

/** Ends every connection to the test's database but the owner's, and lets none in until `work` is done. */
async function withoutDatabase(work: () => Promise<void>): Promise<void> {
  const { rows } = await owner.query<{ name: string; pid: number }>(
    'SELECT current_database() AS name, pg_backend_pid() AS pid',
  );
  const { name, pid } = rows[0] as { name: string; pid: number };
  const admin = new pg.Client({ connectionString: world.api.databaseUrl.replace(`/${name}?`, '/postgres?') });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  const end = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> $2';
  await admin.query(end, [name, pid]);
  await work();
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await admin.end();
}
