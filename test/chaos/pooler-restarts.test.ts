import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { startTestApp } from '#test/setup/app.ts';
import { cloneDatabase, server } from '#test/setup/database.ts';
import { fireRun, startTestEngine } from '#test/setup/engine.ts';
import { keeperIsMissing, keeperSuffix, startPooler } from '#test/setup/pgbouncer.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { startReceiver } from './receiver.ts';
import { expectSound, type FiredWorkflow, mixedWorkflows, untilAllEnded } from './workload.ts';

const [app, system] = [`restarts_app_${process.pid}`, `restarts_system_${process.pid}`];

describe.skipIf(keeperIsMissing)(`A pooler in transaction mode${keeperSuffix}`, () => {
  test('that is killed while webhooks arrive and runs execute costs no accepted run', startsProcesses, async () => {
    const clone = await cloneDatabase();
    await server().query(`CREATE ROLE ${app} LOGIN NOINHERIT IN ROLE causeway_app;
      CREATE ROLE ${system} LOGIN NOINHERIT IN ROLE causeway_app, causeway_system`);
    const pooler = await startPooler(clone.url, {
      mode: 'transaction',
      keepsStatements: true,
      size: 6,
      logins: [app, system],
    });
    const poolers = { appUrl: pooler.as(app), systemUrl: pooler.as(system) };
    const api = await startTestApp({ databaseUrl: clone.url, poolers });
    const receiver = await startReceiver({ latencyMs: 3 });
    const engine = await startTestEngine(api, { allow: receiver.address });
    onTestFinished(async () => {
      await engine.stop();
      await receiver.close();
      await api.close();
      await pooler.close();
      await clone.drop();
      await server().query(`DROP ROLE ${app}, ${system}`);
    });
    const workflows = await mixedWorkflows(api, receiver, { packages: false });

    const accepted: number[] = [];
    const refused: unknown[] = [];
    let fired = 0;
    const fireTen = async () => {
      const batch = Array.from({ length: 10 }, (_, at) =>
        fireRun(api, workflows[(fired + at) % workflows.length] as FiredWorkflow, { n: fired + at }),
      );
      fired += 10;
      for (const end of await Promise.allSettled(batch))
        if (end.status === 'fulfilled') accepted.push(end.value);
        else refused.push(end.reason);
    };
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 3; n += 1) await fireTen();
      const firing = fireTen();
      await pooler.kill();
      await firing;
      await fireTen();
      await pooler.start();
      for (const goal = accepted.length + 10; accepted.length < goal;) {
        await fireTen();
        await delay(20);
      }
    }
    await untilAllEnded(api, 80_000);
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toSatisfy(isOutage);
    const { rows } = await api.database.system.query<{ id: string }>('SELECT id FROM runs');
    const stored = new Set(rows.map(({ id }) => Number(id)));
    expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
    expect((await expectSound(api, receiver)).repeats).toEqual([]);
  });
});
