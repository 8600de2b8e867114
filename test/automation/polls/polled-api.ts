import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { runPoll } from '#src/automation/polls/run-poll.service.ts';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

export const actor = systemActor('acme', 'acme-shop');

export interface PolledRow {
  id: number | string;
  updated_at: string;
  [member: string]: unknown;
}

/** An HTTP API with a list that is sorted by time and paged by offset, two rows a page. */
export async function startPolledApi(api: TestApp) {
  const rows: PolledRow[] = [];
  const queries: URLSearchParams[] = [];
  /** Answers instead of the list, once each. */
  const instead: ((response: ServerResponse) => void)[] = [];
  const server = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    queries.push(query);
    const other = instead.shift();
    if (other) return other(response);
    const since = query.get('since');
    const found = rows
      .filter(({ updated_at: at }) => since === null || Date.parse(at) >= Date.parse(since))
      .toSorted((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at));
    const first = Number(query.get('offset') ?? 0);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: found.slice(first, first + 2) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  api.egressAllow.add(`127.0.0.1:${port}`);
  return { rows, queries, instead, url: `http://127.0.0.1:${port}/orders` };
}

export const answer =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };

/** The config of a trigger that polls such an API. */
export const pollConfigFor = (url: string, more: object = {}, watermark: object = {}) => ({
  node: { slug: 'core:http-request' },
  config: { url, paging: { by: 'offset' } },
  items: 'data',
  key: 'id',
  watermark: {
    by: 'updated_at',
    field: 'updated_at',
    param: 'query.since',
    order: 'ascending',
    overlap_seconds: 60,
    ...watermark,
  },
  cron: '0 0 1 1 *',
  ...more,
});

export interface MadePoll {
  workflowId: number;
  triggerId: number;
  handle: string;
}

/** A ready workflow with a poll trigger that polls only when a test says so. */
export async function makePoll(api: TestApp, config: object): Promise<MadePoll> {
  const { workflowId } = await readyWorkflow(api, { nodes: [node('only', 'set', { values: {} })] });
  const { id, handle } = await createTrigger(api.deps, actor, BigInt(workflowId), {
    type: 'poll',
    name: 'Orders',
    config,
  });
  return { workflowId, triggerId: Number(id), handle };
}

export const quick = { maxQueued: 1_000, pausesMs: [1, 1, 1], pageMs: 2_000 };

/** Polls once, whatever the time is. */
export async function poll(api: TestApp, { triggerId }: MadePoll, limits: object = {}): Promise<PollState> {
  await api.database.system.query('UPDATE polls SET requested_at = now(), retry_at = NULL WHERE trigger_id = $1', [
    triggerId,
  ]);
  await runPoll(api.deps, { tenantId: 'acme-shop', triggerId }, { ...quick, ...limits });
  return readPoll(api, triggerId);
}

export interface PollState {
  watermark: string | null;
  sweep: unknown;
  last_error: string | null;
  failures: number;
  waits: boolean;
  lease: string | null;
  retry_seconds: number | null;
  pages_read: number;
  records_seen: number;
  records_fired: number;
}

export async function readPoll(api: TestApp, triggerId: number): Promise<PollState> {
  const { rows } = await api.database.system.query<PollState>(
    `SELECT watermark, sweep, last_error, failures, waits, lease, extract(epoch FROM retry_at - now())::float8 AS retry_seconds, pages_read,
      records_seen, records_fired FROM polls WHERE trigger_id = $1`,
    [triggerId],
  );
  return rows[0] as PollState;
}

/** The payloads of the runs that a trigger started, in order. */
export async function firedPayloads(api: TestApp, { handle }: Pick<MadePoll, 'handle'>): Promise<FiredPayload[]> {
  const rows = await api.database.tenantQuery<{ payload: FiredPayload }>('acme-shop', {
    text: `SELECT p.payload FROM runs r JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id
      WHERE r.tenant_id = 'acme-shop' AND r.trigger_handle = $1 ORDER BY r.id`,
    values: [handle],
  });
  return rows.map(({ payload }) => payload);
}

interface FiredPayload {
  polled_at: string;
  record?: PolledRow;
  records?: PolledRow[];
}

/** The ids of the records that a trigger fired, in order. */
export const firedIds = async (api: TestApp, made: MadePoll): Promise<unknown[]> =>
  (await firedPayloads(api, made)).flatMap(({ record, records = [] }) =>
    (record ? [record] : records).map(({ id }) => id),
  );
