import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { type Erasure, erasePerson } from '#src/commerce/personal-data/erase-person.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { createContact } from '#test/commerce/customers.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { makeInstallation, type TestInstallation } from '#test/setup/installation.ts';
import { type Made, openWorld, tenantId, type World } from './person-world.ts';

// The owner of the tables is no superuser, so that row-level security decides what an erasure may change.
let installation: TestInstallation;
let api: TestApp;
let world: World;
beforeAll(async () => {
  installation = await makeInstallation(0, 'plain');
  api = await startTestApp({ databaseUrl: installation.url });
  world = await openWorld(api, installation.superuser);
});
afterAll(async () => {
  await api.close();
  await installation.drop();
});

async function causeway(...argv: string[]) {
  const said = { code: 0, out: '', err: '' };
  said.code = await runCauseway(['customer', ...argv], {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    env: { DATABASE_URL: installation.url, DATA_DIR: api.dataDir },
    cwd: '/',
  });
  return said;
}
const exported = async (contact: string): Promise<string> =>
  (await causeway('export', tenantId, contact, '--json')).out;

async function erase(contact: string, flag = '--yes'): Promise<Erasure & { code: number }> {
  const { code, out } = await causeway('erase', tenantId, contact, flag, '--json');
  return { ...(JSON.parse(out) as Erasure), code };
}

/** Every row of every table in which a pattern is found. */
async function rowsWith(pattern: string): Promise<string[]> {
  const { superuser } = installation;
  const { rows: tables } = await superuser.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
     AND NOT c.relispartition`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await superuser.query<{ row: string }>(
      `SELECT row FROM (SELECT to_jsonb(t)::text AS row FROM ${name} t) all_rows WHERE row ~* $1`,
      [pattern],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** What accounts and stock are made from. */
async function readSums(): Promise<unknown> {
  const { rows } = await installation.superuser.query(
    `SELECT (SELECT json_agg(o ORDER BY id) FROM (SELECT id, number, status, net, tax, gross, currency, placed_at FROM orders) o) AS orders,
       (SELECT json_agg(p ORDER BY id) FROM order_positions p) AS positions, (SELECT json_agg(m ORDER BY id) FROM stock_movements m) AS movements,
       (SELECT json_agg(b ORDER BY sku) FROM stock_balances b) AS balances, (SELECT json_agg(d) FROM organization_days d) AS days,
       (SELECT count(*) FROM audit_entries WHERE action <> 'erase') AS audit, (SELECT count(*) FROM steps) AS steps,
       (SELECT sum(bytes) - (SELECT sum(size) FROM state_entries) FROM state_namespaces) AS "unsummedBytes"`,
  );
  return rows[0];
}

describe('customer erase', () => {
  let joann: string;
  beforeAll(async () => {
    for (const name of ['ann', 'joann']) await world.makePerson(name);
    await installation.superuser.query(
      `INSERT INTO state_entries (tenant_id, namespace, key, value, size) SELECT $1, 'orders', 'all', v::json, octet_length('"all"') + octet_length(v)
       FROM (SELECT '[{"mail": "ann@example.com", "last": "Miller"}, {"mail": "joann@example.com", "last": "Miller"}]' AS v) given`,
      [tenantId],
    );
    joann = await exported('joann@example.com');
  });

  test('asks to be sure, and rehearses without a change', async () => {
    expect(await causeway('erase', tenantId, 'ann@example.com')).toMatchObject({
      code: 2,
      err: expect.stringContaining('with --dry-run, then erase with --yes'),
    });
    const before = await exported('ann@example.com');
    expect(await erase('ann@example.com', '--dry-run')).toMatchObject({
      code: 0,
      erased: { contacts: 1, orders: 1, run_payloads: 1, audit_entries: expect.any(Number) },
      remaining: [],
    });
    expect(await exported('ann@example.com')).toBe(before);
  });

  test('leaves nothing of a person in any table, and everything of others, of accounts and of stock', async () => {
    const sums = await readSums();
    const trace = String.raw`(?<![\w.])ann(@|%40|\\\\u0040)example\.com|\yann miller|\yann street`;
    expect((await rowsWith(trace)).length).toBeGreaterThan(15);

    expect(await erase('Ann@example.com')).toMatchObject({
      code: 0,
      remaining: [],
      erased: { contacts: 1, orders: 1 },
    });

    expect(await rowsWith(trace)).toEqual([]);
    expect(JSON.parse(await exported('ann@example.com'))).toMatchObject({ contacts: [], orders: [], found: [] });
    expect(await exported('joann@example.com')).toBe(joann);
    expect(await readSums()).toEqual(sums);
  });

  test('keeps the structure and numbers of what it changed, and the country of addresses', async () => {
    const { rows } = await installation.superuser.query<{ value: string }>(
      `SELECT value::text FROM state_entries WHERE value::text LIKE '%"sum"%' AND value::text LIKE '%erased%'`,
    );
    expect(rows).toEqual([{ value: '{"sum":123456789012345678901234567890.10,"mail":"erased"}' }]);
    const orders = await installation.superuser.query(
      `SELECT o.shipping_address AS shipping, c.email, c.first_name, p.payload #>> '{data,shipping_address,country}' AS country,
         w.size = octet_length(w.body) AS sized
       FROM orders o JOIN contacts c ON c.tenant_id = o.tenant_id AND c.id = o.contact_id JOIN order_changes h ON h.order_id = o.id
       JOIN runs r ON r.event_id = h.event_id JOIN run_payloads p ON p.run_id = r.id JOIN webhook_payloads w ON w.event_id = h.event_id
       WHERE c.email LIKE 'erased%'`,
    );
    expect(orders.rows).toEqual([
      {
        shipping: { type: null, name: null, street: null, postalCode: null, city: null, country: 'DE' },
        email: expect.stringMatching(/^erased-[0-9a-f-]{36}@erased\.invalid$/),
        first_name: null,
        country: 'DE',
        sized: true,
      },
    ]);
  });

  test('finds nothing the second time, is audited without a name, and lets the address come again', async () => {
    expect(await erase('ann@example.com')).toMatchObject({ code: 0, erased: {}, remaining: [] });
    const { rows } = await installation.superuser.query<{ resource_id: string; metadata: object }>(
      `SELECT resource_id, metadata FROM audit_entries WHERE tenant_id = $1 AND action = 'erase'`,
      [tenantId],
    );
    expect(rows).toEqual([
      {
        resource_id: expect.stringMatching(/^\d+$/),
        metadata: { erased: expect.objectContaining({ orders: 1 }), remaining: 0 },
      },
    ]);
    expect(await erase(rows[0]?.resource_id ?? '')).toMatchObject({ code: 0, erased: {}, remaining: [] });
    const again = await createContact(api, { organizationId: world.organization.id, email: 'ann@example.com' });
    expect(String(again.databaseId)).not.toBe(rows[0]?.resource_id);
    await erase('ann@example.com');
  });
});

describe('customer erase leaves for later', () => {
  let made: Made;
  let email: string;
  let count = 0;
  beforeEach(async () => {
    count += 1;
    const name = `person${String.fromCharCode(96 + count).repeat(count)}`;
    email = `${name}@example.com`;
    made = await world.makePerson(name);
  });

  const set = (text: string, ...values: unknown[]) => installation.superuser.query(text, values);

  /** What is done to a person's records, what is then said of them, and what ends it. */
  const cases: [
    what: string,
    begin: () => Promise<unknown>,
    table: string,
    reason: RegExp,
    end: () => Promise<unknown>,
  ][] = [
    [
      'a run that has not ended, with its order and contact',
      () =>
        set(
          `UPDATE runs SET status = 'waiting', completed_at = NULL, error = NULL, error_group_id = NULL WHERE id = $1`,
          made.run,
        ),
      'run_payloads',
      /^Run \d+ has not ended/,
      () => set(`UPDATE runs SET status = 'cancelled', completed_at = now() WHERE id = $1`, made.run),
    ],
    [
      'a delivery that is still to be sent',
      () => set(`UPDATE webhook_deliveries SET status = 'held' WHERE id = $1`, made.delivery),
      'webhook_payloads',
      /^Delivery \d+ is still to be sent/,
      () => set(`UPDATE webhook_deliveries SET status = 'failed' WHERE id = $1`, made.delivery),
    ],
    [
      'an order that is open',
      () => set(`UPDATE orders SET status = 'acknowledged' WHERE id = $1`, made.order),
      'orders',
      /^Order \d+ is open/,
      () => set(`UPDATE orders SET status = 'completed' WHERE id = $1`, made.order),
    ],
    [
      'an event that a consumer has not read',
      () => set(`INSERT INTO outbox_cursors (consumer, xid, id) VALUES ('slow', 0, 0)`),
      'outbox_events',
      /^Event \d+ has not been handed out/,
      () => set(`DELETE FROM outbox_cursors WHERE consumer = 'slow'`),
    ],
  ];

  test.each(cases)('%s', async (_, begin, table, reason, end) => {
    await begin();
    const first = await erase(email);
    expect(first).toMatchObject({ code: 1, erased: { import_rows: 1 } });
    expect(first.remaining).toContainEqual(expect.objectContaining({ table, reason: expect.stringMatching(reason) }));
    expect(first.remaining.map((one) => one.table)).toEqual(expect.arrayContaining(['orders', 'contacts']));
    await end();
    expect(await erase(email)).toMatchObject({ code: 0, remaining: [], erased: { orders: 1, contacts: 1 } });
    expect(JSON.parse(await exported(email))).toMatchObject({ contacts: [], orders: [], found: [] });
    // The run also has the address of somebody else, which ends alike.
    expect(await rowsWith(`(?<!x)${email}`)).toEqual([]);
  });

  test('everything while an import that may bring the contact has not ended', async () => {
    await set(`UPDATE bulk_jobs SET status = 'running' WHERE id = $1`, made.job);
    const before = await exported(email);
    expect(await causeway('erase', tenantId, email, '--yes')).toMatchObject({
      code: 1,
      out: '',
      err: `Import ${made.job} has not ended and may bring the contact: wait for it or cancel it, and erase again.\n`,
    });
    expect(await exported(email)).toBe(before);
    await set(`UPDATE bulk_jobs SET status = 'completed' WHERE id = $1`, made.job);
    expect(await erase(email)).toMatchObject({ code: 0, remaining: [] });
  });

  test('a contact that an import may bring, where the import has begun meanwhile', async () => {
    const { database, storage } = api.deps;
    const withTenant: typeof database.withTenant = async (...given) => {
      await set(`UPDATE bulk_jobs SET status = 'queued' WHERE id = $1`, made.job);
      return database.withTenant(...given);
    };
    const deps = { database: { ...database, withTenant }, storage, actor: systemActor('acme', tenantId) };
    const options = { isRehearsal: false, allowsCommon: false, onProgress: () => undefined };
    expect(await erasePerson(deps, { contact: email, also: [] }, options)).toMatchObject({
      erased: { orders: 1 },
      remaining: [{ table: 'contacts', reason: expect.stringContaining(`Import ${made.job} has not ended`) }],
    });
    await set(`UPDATE bulk_jobs SET status = 'cancelled' WHERE id = $1`, made.job);
    expect(await erase(email)).toMatchObject({ code: 0, remaining: [], erased: { contacts: 1 } });
  });

  test.each(['steps', 'import_rows', 'orders'])('what an erasure had not reached that broke off at %s', async (at) => {
    const onProgress = (table: string) => {
      if (table === at) throw new Error('The machine stopped.');
    };
    const deps = { ...api.deps, actor: systemActor('acme', tenantId) };
    await expect(
      erasePerson(deps, { contact: email, also: [] }, { isRehearsal: false, allowsCommon: false, onProgress }),
    ).rejects.toThrow('stopped');
    expect(await erase(email)).toMatchObject({ code: 0, remaining: [], erased: { orders: 1, contacts: 1 } });
    const [name = ''] = email.split('@');
    expect(await rowsWith(`(?<!x)${email}|\\y${name} (miller|street)`)).toEqual([]);
  });

  test('no file of an ended import or export that may name the person', async () => {
    const { storage } = api.deps;
    const { key } = await storage.put(Buffer.from(`email\n${email}\n`), { maxBytes: 100 });
    await set(
      'UPDATE uploads SET storage_key = $1 WHERE id = (SELECT upload_id FROM bulk_jobs WHERE id = $2)',
      key,
      made.job,
    );
    const result = await storage.put(Buffer.from(`"email"\n${email}\n`), { maxBytes: 100 });
    await set(
      `INSERT INTO bulk_jobs (tenant_id, kind, target, profile, dry_run, status, result_key) VALUES ($1, 'export', 'contacts', '{}', false, 'completed', $2)`,
      tenantId,
      result.key,
    );
    expect(await erase(email, '--dry-run')).toMatchObject({ code: 0, erased: { files: 2 } });
    expect([await storage.exists(key), await storage.exists(result.key)]).toEqual([true, true]);
    expect(await erase(email)).toMatchObject({ code: 0, erased: { files: 2 } });
    expect([await storage.exists(key), await storage.exists(result.key)]).toEqual([false, false]);
  });

  test('no text written with HTML entities, in the records of the person or in others', async () => {
    const [name = ''] = email.split('@');
    const written = `<to>${name}&#64;example.com</to>`;
    await set(
      `INSERT INTO state_entries (tenant_id, namespace, key, value, size) VALUES ($1, 'orders', 'html', to_json($2::text), 0)`,
      tenantId,
      written,
    );
    await set(
      `UPDATE run_payloads SET payload = payload || jsonb_build_object('xml', $1::text) WHERE run_id = $2`,
      `<name>${name}&#32;M&#x69;ller</name>`,
      made.run,
    );
    expect((await rowsWith('&#')).length).toBe(2);
    expect(await erase(email)).toMatchObject({ code: 0, remaining: [] });
    expect(await rowsWith('&#')).toEqual([]);
    await set(`DELETE FROM state_entries WHERE key = 'html'`);
  });

  test('the records that contain a common word, until --common confirms them', async () => {
    const count = async () => (await rowsWith('Versandkosten')).length;
    await set(
      `INSERT INTO state_entries (tenant_id, namespace, key, value, size)
       SELECT $1, 'orders', 'common-' || n, json_build_object('what', 'Die Versandkosten'), 0 FROM generate_series(1, 101) AS n`,
      tenantId,
    );
    const also = (...flags: string[]) => causeway('erase', tenantId, email, '--also', 'Versandkosten', ...flags);
    expect(await also('--dry-run')).toMatchObject({
      out: expect.stringContaining(
        '"Versandkosten" is in 101 records that name the person by nothing else: to erase these, add --common.',
      ),
    });
    expect(await also('--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('"Versandkosten" is in 101 records that name the person by nothing else'),
    });
    expect(await count()).toBe(101);
    expect(await erase(email, '--dry-run')).toMatchObject({ erased: { contacts: 1 } });
    // With one record fewer, the word no longer counts as common.
    await set(`UPDATE state_entries SET value = '{}' WHERE key = 'common-1'`);
    expect(await also('--dry-run')).toMatchObject({ out: expect.not.stringContaining('--common') });
    await set(`UPDATE state_entries SET value = '{"what":"Die Versandkosten"}' WHERE key = 'common-1'`);
    expect(await also('--yes', '--common')).toMatchObject({ code: 0 });
    expect(await count()).toBe(0);
    await set(`DELETE FROM state_entries WHERE key LIKE 'common-%'`);
  });

  test('what the ledger and keys of other systems say, with the reason', async () => {
    await set(`UPDATE stock_movements SET note = $1 WHERE id = (SELECT max(id) FROM stock_movements)`, `For ${email}`);
    const { code, remaining } = await erase(email);
    expect({ code, remaining }).toEqual({
      code: 1,
      remaining: [
        {
          table: 'stock_movements',
          key: { id: expect.any(String) },
          columns: ['note'],
          reason: 'The ledger and the payments stay as they were booked.',
        },
      ],
    });
    const { found } = JSON.parse(await exported(email)) as { found: object[] };
    expect(found).toEqual([expect.objectContaining({ table: 'stock_movements', value: `For ${email}` })]);
  });
});
