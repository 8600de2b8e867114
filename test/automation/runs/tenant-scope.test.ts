import { describe, expect } from 'vitest';
import { replayDeadLetter, discardDeadLetter } from '#src/automation/dead-letters/dead-letters.service.ts';
import { accept, type Firing } from '#src/automation/firings/firings.service.ts';
import type { RunClaim } from '#src/automation/runs/held-runs.store.ts';
import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { dispatchHeld } from '#src/automation/runs/run-queue.service.ts';
import { cancelRun, rerunRun, resumeRun, retryRun } from '#src/automation/runs/runs.service.ts';
import { type Actor, type Deps, systemActor } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { forEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { moveRun } from '#test/setup/runs.ts';
import { stopRuns } from '#workers/engine/stop-runs.ts';

const theirs = 'acme-shop';
const mine = 'acme-outlet';
const user: Actor = {
  orgId: 'acme',
  tenantId: theirs,
  userId: null,
  sub: 'sub-of-a-user',
  email: 'user@example.com',
  channel: 'api',
};

let api: TestApp;
let confused: Deps & RunQueue;
let workflowId: number;
let handle: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  ({ workflowId, handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] }));
  // Services get the other tenant, and use it in every filter; the transaction is in ours. Rows that they find or change are those that
  // row-level security lets through.
  const database: Database = {
    ...api.database,
    withTenant: (_, work) => api.database.withTenant(mine, work),
    withTenantSql: (_, work) => api.database.withTenantSql(mine, work),
  };
  confused = { ...api.deps, database };
});

const firing = (): Firing => ({
  actor: user,
  handle,
  type: 'webhook',
  payload: { of: theirs },
  idempotencyKey: crypto.randomUUID(),
  capture: true,
});

async function newRun(): Promise<number> {
  const [fired] = await api.database.withTenantSql(null, (tx) => accept(tx, api.deps, [firing()]));
  if (fired?.outcome !== 'run') throw new Error(`The firing became: ${JSON.stringify(fired)}`);
  return fired.runId;
}

/** Everything of the other tenant that could be touched, and how many jobs there are. */
async function fingerprint(): Promise<unknown> {
  const tables = ['runs', 'run_payloads', 'run_keys', 'steps', 'dead_letters', 'audit_entries', 'outbox_events'];
  const rows = await Promise.all(
    tables.map(async (table) => {
      const { rows: all } = await api.database.system.query(
        `SELECT to_jsonb(t) AS row FROM ${table} t WHERE tenant_id = $1 ORDER BY to_jsonb(t)::text`,
        [theirs],
      );
      return [table, all];
    }),
  );
  const { rows: jobs } = await api.database.system.query('SELECT count(*) AS jobs FROM pgboss.job');
  return { rows, jobs };
}

async function leavesAlone(work: () => Promise<unknown>): Promise<void> {
  const before = await fingerprint();
  await work();
  expect(await fingerprint()).toEqual(before);
}

describe('row-level security alone', () => {
  test.each([
    ['cancel', (id: bigint) => cancelRun(confused, user, id)],
    ['retry', (id: bigint) => retryRun(confused, user, id)],
    ['rerun', (id: bigint) => rerunRun(confused, user, id)],
    ['resume', (id: bigint) => resumeRun(confused, user, id, { token: crypto.randomUUID() })],
  ])("does not let a %s reach another tenant's run", async (_, act) => {
    const id = BigInt(await newRun());
    await leavesAlone(() => expect(act(id)).rejects.toBeInstanceOf(NotFoundError));
  });

  test("does not let a replay or discard reach another tenant's dead letter", async () => {
    const letter = { ...firing(), refusal: 'No.' };
    const [fired] = await api.database.withTenantSql(null, (tx) => accept(tx, api.deps, [letter]));
    if (fired?.outcome !== 'dead_letter') throw new Error('There is no dead letter.');
    const id = BigInt(fired.deadLetterId);
    await leavesAlone(async () => {
      await expect(replayDeadLetter(confused, user, id)).rejects.toBeInstanceOf(NotFoundError);
      await expect(discardDeadLetter(confused, user, id)).rejects.toBeInstanceOf(NotFoundError);
    });
  });

  test("does not let a firing reach another tenant's trigger", async () => {
    await leavesAlone(async () => {
      const foreign = { ...firing(), actor: { ...user, tenantId: mine } };
      const fired = await api.database.withTenantSql(null, (tx) => accept(tx, api.deps, [foreign]));
      expect(fired).toEqual([{ outcome: 'unknown' }]);
    });
  });

  test('shows nothing to a transaction of several tenants outside of their scopes', async () => {
    await newRun();
    const seen = await api.database.withTenantSql(null, (tx) => tx.query('SELECT FROM runs'));
    expect(seen.rowCount).toBe(0);
  });

  test('does not let runs be created, ended, stopped or dispatched for another tenant', async () => {
    const runId = await newRun();
    const { rows } = await api.database.system.query<{ bundle_id: number }>(
      'SELECT bundle_id FROM runs WHERE tenant_id = $1 AND id = $2',
      [theirs, runId],
    );
    await leavesAlone(async () => {
      const made = api.database.withTenantSql(mine, (tx) =>
        insertRuns(tx, api.deps, [
          {
            actor: user,
            workflowId,
            bundleId: rows[0]?.bundle_id as number,
            revision: 1,
            triggerId: null,
            triggerHandle: null,
            triggerType: 'manual',
            payload: null,
            concurrency: null,
          },
        ]),
      );
      await expect(made).rejects.toMatchObject({ code: '42501' });
      const ended = await api.database.withTenantSql(mine, (tx) =>
        finishRuns(tx, api.deps, null, [{ tenantId: theirs, runId, status: 'cancelled', error: null, result: null }]),
      );
      expect(ended).toEqual([]);
      await stopRuns(confused, { tenantId: theirs, workflowId });
      await api.database.withTenantSql(mine, (tx) => dispatchHeld(tx, api.deps, theirs, workflowId));
    });
  });

  test('does not let a tenant take, change or delete jobs of the queue', async () => {
    await newRun();
    for (const statement of [
      'DELETE FROM pgboss.job',
      `UPDATE pgboss.job SET state = 'active'`,
      `INSERT INTO event_chains (tenant_id, root_run_id, firings) VALUES ('${mine}', 1, 1)`,
    ]) {
      const tried = api.database.withTenantSql(mine, (tx) => tx.query(statement));
      await expect(tried).rejects.toMatchObject({ code: '42501' });
    }
  });
});

describe('firings within a transaction of the system', () => {
  const readRole = async (tx: Tx) => {
    const { rows } = await tx.query<{ role: string; tenant: string | null }>(
      'SELECT current_user AS role, current_tenant() AS tenant',
    );
    return rows[0];
  };

  test('are each in the scope of their tenant, which ends with them', async () => {
    await newRun();
    await api.database.withSystem(async (client) => {
      const seen = await forEachTenant(
        client,
        [mine, theirs, mine],
        (tenantId) => tenantId,
        async (tx, own) => {
          const first = await readRole(tx);
          const { rows } = await tx.query<{ tenant_id: string }>('SELECT DISTINCT tenant_id FROM runs');
          // Statements of the two tenants alternate.
          expect(await readRole(tx)).toEqual(first);
          expect(rows).toEqual(own[0] === theirs ? [{ tenant_id: theirs }] : []);
          return own.map(() => first);
        },
      );
      expect(seen).toEqual([mine, theirs, mine].map((tenant) => ({ role: 'causeway_app', tenant })));
      expect(await readRole(client)).toEqual({ role: 'causeway_system', tenant: null });
    });
  });

  test('of one tenant alone stay in its scope, which ends with them', async () => {
    const asTenant = { role: 'causeway_app', tenant: mine };
    const asSystem = { role: 'causeway_system', tenant: null };
    await api.database.withSystem(async (client) => {
      let kept: Tx | undefined;
      await forEachTenant(
        client,
        [mine, mine],
        (tenantId) => tenantId,
        async (tx, own) => {
          kept = tx;
          expect([await readRole(tx), await readRole(tx)]).toEqual([asTenant, asTenant]);
          return own;
        },
      );
      expect(await readRole(client)).toEqual(asSystem);
      // Code that keeps the tenant's view of the transaction gets no more rights than the tenant.
      expect(await readRole(kept as Tx)).toEqual(asTenant);
    });
  });

  test('leave nothing behind if one of them fails, once all have settled', async () => {
    const sent: string[] = [];
    const failing = api.database.withTenantSql(null, (tx) =>
      forEachTenant(
        tx,
        [mine, theirs],
        (tenantId) => tenantId,
        async (scoped, own) => {
          if (own[0] === mine) throw new Error('no');
          await scoped.query('SELECT 1');
          await scoped.query('SELECT 2');
          sent.push('both');
          return own;
        },
      ),
    );
    await expect(failing).rejects.toThrow('no');
    expect(sent).toEqual(['both']);
  });

  test('of several tenants return in order, and a foreign handle finds nothing', async () => {
    const foreign = { ...firing(), actor: systemActor('acme', mine) };
    const fired = await api.database.withSystem((client) =>
      accept(client, api.deps, [firing(), foreign, firing(), { ...firing(), type: 'event' }]),
    );
    expect(fired.map(({ outcome }) => outcome)).toEqual(['run', 'unknown', 'run', 'unknown']);
  });
});

describe("a user's cancel", () => {
  const findAudit = async (id: number) => {
    const { rows } = await api.database.system.query(
      `SELECT actor_sub, actor_email, via_system, channel FROM audit_entries
       WHERE tenant_id = $1 AND resource_type = 'workflow_run' AND action = 'run.finished' AND resource_id = $2`,
      [theirs, String(id)],
    );
    return rows as unknown[];
  };
  const byUser = { actor_sub: user.sub, actor_email: user.email, via_system: false, channel: 'api' };

  test('of a waiting run is audited with the user', async () => {
    const id = await newRun();
    await cancelRun(api.deps, user, BigInt(id));
    expect(await findAudit(id)).toEqual([byUser]);
  });

  test('of a running run is audited with the user as well, once its worker has ended it', async () => {
    const id = await newRun();
    const worker = crypto.randomUUID();
    await moveRun(api.deps, theirs, id, 'running');
    const { rows } = await api.database.system.query<Omit<RunClaim, 'tenantId' | 'runId'>>(
      `UPDATE runs SET worker_id = $2, updated_at = date_trunc('milliseconds', now()) WHERE id = $1
       RETURNING version, nonce, updated_at AS "claimedAt"`,
      [id, worker],
    );
    const claim = { tenantId: theirs, runId: id, ...(rows[0] as (typeof rows)[number]) };
    expect(await cancelRun(api.deps, user, BigInt(id))).toMatchObject({ status: 'running' });
    await api.database.withSystem((client) =>
      finishRuns(client, api.deps, worker, [
        { tenantId: theirs, runId: id, claim, status: 'cancelled', error: null, result: null },
      ]),
    );
    expect(await findAudit(id)).toEqual([byUser]);
  });
});
