import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminHeaders, type OwnPostgres, startOwnPostgres } from './deployment.ts';
import { acceptedRuns, startLoad } from './load.ts';
import { type OwnProcess, startApi, startWorker } from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { expectSound, mixedWorkflows, untilAllEnded } from './workload.ts';

let postgres: OwnPostgres;
let receiver: Receiver;
let dataDir: string;
let api: Awaited<ReturnType<typeof startApi>>;
let worker: OwnProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-chaos-api-'));
  [postgres, receiver] = await Promise.all([startOwnPostgres(), startReceiver()]);
  [api, worker] = await Promise.all([
    startApi({ databaseUrl: postgres.url, dataDir }),
    startWorker({ databaseUrl: postgres.url, allow: receiver.address }),
  ]);
});
afterAll(async () => {
  for (const process of [api, worker]) process.signal('SIGKILL');
  await Promise.all([api.exited, worker.exited]);
  await receiver.close();
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
});

const outageWarning = 'The database is away; requests were refused.';

describe('Postgres restarted under load', () => {
  test('is survived by every process, and no accepted run is lost or doubled', { timeout: 240_000 }, async () => {
    const workflows = await mixedWorkflows(postgres, receiver);
    const headers = await adminHeaders(dataDir, api.port);
    const load = startLoad({
      url: api.url,
      handles: workflows.map(({ handle }) => handle),
      headers,
      clients: 6,
      pauseMs: 25,
    });
    for (const how of ['fast', 'immediate', 'kill'] as const) {
      await delay(1_500);
      await postgres.restart(how, 2_000);
    }
    // The end of the load is served again.
    const isServed = () => load.answers.slice(-20).every(({ status }) => status === 202);
    const answered = load.answers.length;
    await expect.poll(() => load.answers.length > answered + 20 && isServed(), { timeout: 60_000 }).toBe(true);
    await load.stop();

    expect(api.isAlive()).toBe(true);
    expect(worker.isAlive()).toBe(true);
    const refused = load.answers.filter(({ status }) => status !== 202);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused) {
      expect([500, 503]).toContain(status);
      expect(Object.keys(body ?? {})).toEqual(['message']);
    }
    // A request is logged by itself, or counted in the warning of its second.
    const alone = refused.filter(({ requestId }) => api.log.some((line) => line['requestId'] === requestId));
    const counted = () =>
      api.log.reduce((sum, line) => (line['msg'] === outageWarning ? sum + Number(line['count']) : sum), 0);
    await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThanOrEqual(refused.length - alone.length);

    await untilAllEnded(postgres, 90_000);
    const sound = await expectSound(postgres, receiver);
    // A request is repeated only where its answer could not be recorded: not at all, as no worker has died.
    expect(sound.repeats).toEqual([]);
    const accepted = acceptedRuns(load.answers);
    const { rows: kept } = await postgres.database.system.query<{ id: number }>(
      'SELECT id FROM runs WHERE id = ANY($1::bigint[])',
      [accepted],
    );
    expect(kept.length).toBe(accepted.length);
    const { rows: doubled } = await postgres.database.system.query(
      `SELECT payload -> 'body' ->> 'n' AS n, count(*)::int FROM run_payloads p
       JOIN runs r ON r.tenant_id = p.tenant_id AND r.id = p.run_id AND r.trigger_type = 'webhook' GROUP BY 1 HAVING count(*) > 1`,
    );
    expect(doubled).toEqual([]);
    process.stdout.write(
      `${JSON.stringify({ test: 'Postgres restarted three times', accepted: accepted.length, refused: refused.length, runs: sound.runs, steps: sound.steps })}\n`,
    );
  });
});
