import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import { auditedStateEntry } from '#src/automation/state/state.declarations.ts';
import { systemActor } from '#src/infra/deps.ts';
import { defineJob, startJobs } from '#src/infra/jobs.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { lockNamed, tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { parseNotice } from '#src/infra/postgres/notices.ts';
import { pipelineForEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import { awaitAll, Pipelined, type Tx } from '#src/infra/postgres/tx.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { anyTopic } from '#test/setup/topics.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  ({ drop } = clone);
  database = openDatabase({ url: clone.url, poolSize: 3 });
  await database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
  await database.global.tenant.createMany({ data: ['one', 'two'].map((id) => ({ id, orgId: 'acme', name: id })) });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const readState = (tx: Tx) =>
  tx.query<{ id: number; name: string }>(`SELECT id, name FROM workflows WHERE name = 'one and the same'`);

test('runs Prisma and SQL in one transaction of the tenant, with ids as numbers in SQL', async () => {
  const undone = new Error('undone');
  const work = database.withTenant('one', async (tx) => {
    const data = { tenantId: 'one', name: 'one and the same', blob: {} };
    const { id } = await tx.workflow.create({ data, select: { id: true } });
    expect((await readState(tx)).rows).toEqual([{ id: Number(id), name: 'one and the same' }]);
    await tx.query('UPDATE workflows SET name = $2 WHERE id = $1', [id, 'renamed']);
    expect((await tx.workflow.findFirst({ where: { id } }))?.name).toBe('renamed');
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
  await database.withTenant('one', async (tx) => expect((await tx.query('SELECT FROM workflows')).rowCount).toBe(0));
});

test('scopes SQL to the tenant like Prisma', async () => {
  const data = { tenantId: 'one', name: 'of one', blob: {} };
  await database.withTenant('one', (tx) => tx.workflow.create({ data, select: { id: true } }));
  const seen = await database.withTenant('two', (tx) => tx.query('SELECT FROM workflows'));
  expect(seen.rowCount).toBe(0);
  const foreign = database.withTenant('two', (tx) =>
    tx.query(`INSERT INTO workflows (tenant_id, name, blob, updated_at) VALUES ('one', 'foreign', '{}', now())`),
  );
  await expect(foreign).rejects.toThrow(/row-level security/);
});

test('commits without waiting for its last statements, and reports one that fails, in which case nothing is written', async () => {
  const add = (tx: Tx, name: string) =>
    tx.query(
      `INSERT INTO workflows (tenant_id, name, blob, updated_at) VALUES ('one', $1, '{}', now()) RETURNING name`,
      [name],
    );
  const sending = (names: string[]) =>
    database.withTenantSql(null, (tx) =>
      pipelineForEachTenant(
        tx,
        names,
        () => 'one',
        async (scoped, own) => new Pipelined(awaitAll(own.map(async (name) => (await add(scoped, name)).rows[0]))),
      ),
    );
  const written = () =>
    database.withTenantSql('one', (tx) => tx.query(`SELECT name FROM workflows WHERE name LIKE 'sent%' ORDER BY name`));

  expect(await sending(['sent 1', 'sent 2'])).toEqual([{ name: 'sent 1' }, { name: 'sent 2' }]);
  await expect(sending(['sent 3', 'sent \0', 'sent 4'])).rejects.toThrow('invalid byte sequence');
  expect((await written()).rows).toEqual([{ name: 'sent 1' }, { name: 'sent 2' }]);
});

test('refuses SQL once the transaction has ended', async () => {
  const kept = await database.withTenant('one', async (tx) => ({ tx }));
  expect(() => kept.tx.query('SELECT 1')).toThrow('The transaction has ended.');
});

test('keeps its own connection when others are taken within it', async () => {
  await database.withTenant('one', async (tx) => {
    const pid = async () => (await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    const before = await pid();
    await Promise.all([
      database.reader('two').workflow.findMany(),
      database.withTenant('two', async (other) => {
        const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        expect(rows[0]?.pid).not.toBe(before);
      }),
    ]);
    expect(await pid()).toBe(before);
    expect((await tx.query<{ id: string }>('SELECT current_tenant() AS id')).rows).toEqual([{ id: 'one' }]);
  });
});

const noop = defineJob({
  name: executeRunJob.name,
  schema: z.object({ tenantId: z.string(), runId: z.number() }),
  retry: { limit: 0, delay: 1 },
  expireInSeconds: 60,
});

test.each(['tenant', 'system'] as const)(
  'writes audit, event, job, notice and lock with a %s transaction',
  async (kind) => {
    const jobs = await startJobs({ database, onError: () => undefined });
    const heard: string[] = [];
    const listener = await database.system.connect();
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.query('LISTEN told');
    const work = async (tx: Tx): Promise<void> => {
      await lockNamed(tx, `things/${kind}`);
      await recordAudit(tx, systemActor('acme', 'one'), {
        action: 'create',
        resource: auditedStateEntry,
        resourceId: kind,
        metadata: { told: true },
      });
      await publishEvent(tx, { tenantId: 'one', topic: anyTopic(`made.${kind}`), data: { n: 1 } });
      await jobs.send(noop, { tenantId: 'one', runId: 1 }, { tx });
      tx.notify('told', [{ kind }]);
    };
    const run = (end: 'commit' | 'rollback') => {
      const all = async (tx: Tx) => {
        await work(tx);
        expect(await database.withSystem((other) => tryLockNamed(other, `things/${kind}`))).toBe(false);
        if (end === 'rollback') throw new Error('undone');
      };
      return kind === 'tenant' ? database.withTenant('one', all) : database.withSystem(all);
    };
    const count = async () => {
      const { rows } = await database.system.query(
        `SELECT (SELECT count(*) FROM audit_entries WHERE resource_id = $1 AND via_system AND metadata = '{"told": true}') AS entries,
         (SELECT count(*) FROM outbox_events WHERE topic = 'made.' || $1) AS events,
         (SELECT count(*) FROM pgboss.job WHERE name = $2) AS jobs`,
        [kind, noop.name],
      );
      return rows[0] as Record<string, number>;
    };
    const before = await count();
    await expect(run('rollback')).rejects.toThrow('undone');
    expect(await count()).toEqual(before);
    await run('commit');
    expect(await count()).toEqual({ entries: 1, events: 1, jobs: (before['jobs'] as number) + 1 });
    await database.notices.flushed();
    await listener.query('SELECT 1');
    // Notices without entries are heartbeats.
    expect(heard.flatMap((payload) => parseNotice(payload)?.entries)).toEqual([{ kind }]);
    expect(await database.withSystem((other) => tryLockNamed(other, `things/${kind}`))).toBe(true);
    listener.release(true);
    await jobs.stop();
  },
);

test('plans the statements of a connection again, so that a plan made for an empty table does not stay', async () => {
  const statement = { name: 'plan-kept', text: `SELECT FROM workflows WHERE tenant_id = 'one' AND id = 1` };
  await database.withSystem(async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = on');
    await tx.query('SET LOCAL enable_indexscan = off');
    await tx.query('SET LOCAL enable_indexonlyscan = off');
    await tx.query(statement);
  });
  const planned = () =>
    database.withSystem(async (tx) => {
      const { rows } = await tx.query<Record<string, string>>('EXPLAIN EXECUTE "plan-kept"');
      return Object.values(rows[0] ?? {}).join();
    });
  expect(await planned()).toMatch(/^Seq Scan/);
  await expect.poll(planned, { timeout: 20_000 }).toMatch(/^Index/);
});
