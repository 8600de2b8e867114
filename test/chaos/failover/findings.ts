import type { OwnProcess } from '#test/chaos/processes.ts';
import type { Arrived } from '#test/commerce/webhooks/receiver.ts';
import { type Cluster, until } from './cluster.ts';
import type { Command, Kind, Target } from './traffic.ts';
import type { Views } from './views.ts';

/** The effects of an outage, and how long they lasted. Counts are those of this scenario; each except `accepted` should be 0. */
export interface Findings {
  accepted: Record<Kind, number>;
  /** Accepted, and not there. */
  lost: Record<Kind, number>;
  /** Commands that had their effect twice. */
  doubled: number;
  /** API keys that an API refuses afterwards. */
  keysRefused: number;
  /** Ids, numbers of orders, ids of events and idempotency keys that were given to two commands, in this scenario or before. */
  givenTwice: string[];
  /** Runs whose recorded steps tell of another command. */
  mixedUp: number;
  failedRuns: number;
  hangingRuns: number;
  /** Orders that are there and were not delivered, and deliveries that wait. */
  neverSent: number;
  viewsClosed: number;
  /** Lines of level error. */
  errors: string[];
  /** Milliseconds from when the new primary took writes to the first of each, at the process that was last. */
  afterMs: FirstOfEach;
  /** The same from a moment before the outage: what the machine needs under this load anyway. */
  usualMs: FirstOfEach;
}

export interface FirstOfEach {
  api: number;
  steps: number;
  deliveries: number;
  sockets: number;
  /** Until the last run that was under way had ended, and the last order of before was delivered. */
  backlog: number;
}

export interface Watched {
  cluster: Cluster;
  apis: Target[];
  keys: Record<string, string>[];
  views: Views[];
  arrived: readonly Arrived[];
  /** The commands of all scenarios. */
  commands: readonly Command[];
}

export const stepPath = '/step';
export const hookPath = '/hook';

/** Waits until nothing is under way, for a limited time, since what hangs is a finding. */
export async function settle({ cluster }: Pick<Watched, 'cluster'>, limitMs: number): Promise<void> {
  await until(async () => {
    const [open] = await cluster.onPrimary<{ many: number }>(`SELECT
        (SELECT count(*) FROM runs WHERE completed_at IS NULL)::int +
        (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')::int +
        (SELECT count(*) FROM outbox_events e, outbox_cursors c WHERE c.consumer = 'webhooks' AND e.topic = 'order.created'
          AND NOT EXISTS (SELECT FROM webhook_payloads p WHERE p.tenant_id = e.tenant_id AND p.event_id = e.event_id))::int AS many`);
    return open?.many === 0;
  }, limitMs).catch(() => undefined);
}

/**
 * Compares the responses that clients got with the stored data. `label` begins the names of the scenario's commands; `usualFrom` is a time
 * before the outage, and `backAt` the time when writes were accepted again.
 */
export async function collectFindings(
  watched: Watched & { logs: OwnProcess['log'][] },
  { label, usualFrom, backAt }: { label: string; usualFrom: number; backAt: number },
): Promise<Findings> {
  const { cluster, commands } = watched;
  const mine = commands.filter(({ name }) => name.startsWith(`${label}/`));
  const there = await readThere(cluster, label);
  const count = (holds: (command: Command) => boolean): Record<Kind, number> => ({
    movement: mine.filter((command) => command.kind === 'movement' && holds(command)).length,
    order: mine.filter((command) => command.kind === 'order' && holds(command)).length,
    run: mine.filter((command) => command.kind === 'run' && holds(command)).length,
  });
  const steps = watched.arrived.filter(({ path }) => path === stepPath);
  const hooks = watched.arrived.filter(({ path }) => path === hookPath);
  const delivered = new Set(hooks.map((hook) => String(hook.event.data['external_key'])));
  const isMine = (step: Arrived): boolean => readName(step).startsWith(`${label}/`);
  const isThere = ({ kind, name, given: [id] }: Command): boolean =>
    kind === 'run' ? there.runs.get(name)?.some((run) => `run ${run.id}` === id) === true : there[`${kind}s`].has(name);
  const runs = [...there.runs.values()].flat();
  return {
    accepted: count(({ accepted }) => accepted),
    lost: count((command) => command.accepted && !isThere(command)),
    doubled:
      there.doubled +
      [...there.runs.values()].filter((those) => those.length > 1).length +
      namesPerKey(steps.filter(isMine).map((step) => [`${readName(step)} ${readCall(step)}`, readKey(step)])).length,
    keysRefused: await keysRefused(watched),
    givenTwice: namesPerKey(
      [
        ...commands.flatMap(({ name, given }) => given.map((id): [string, string] => [id, name])),
        ...steps.map((step): [string, string] => [`key ${readKey(step)}`, `${readName(step)} ${readCall(step)}`]),
        ...hooks.map((hook): [string, string] => [`event ${hook.event.id}`, String(hook.event.data['external_key'])]),
      ],
      `${label}/`,
    ),
    mixedUp: runs.filter(({ told, name }) => told.some((each) => each !== name)).length,
    failedRuns: runs.filter(({ status }) => ['failed', 'cancelled'].includes(status)).length,
    hangingRuns: runs.filter(({ endedAt }) => endedAt === null).length,
    neverSent: [...there.orders].filter((name) => !delivered.has(name)).length + there.pending,
    viewsClosed: watched.views.filter((view) => !view.isOpen()).length,
    errors: [...new Set(watched.logs.flatMap(listErrors))],
    afterMs: firstOfEach(watched, mine, backAt, runs),
    usualMs: firstOfEach(watched, mine, usualFrom, []),
  };
}

const readName = ({ body }: Arrived): string => (JSON.parse(body.toString('utf8')) as { name: string }).name;
const readCall = ({ body }: Arrived): string => (JSON.parse(body.toString('utf8')) as { call: string }).call;
const readKey = ({ headers }: Arrived): string => String(headers['idempotency-key']);

/** The keys, of pairs of a key and a name, with more than one name of which one begins with the label. */
function namesPerKey(pairs: readonly [key: string, name: string][], label = ''): string[] {
  const names = new Map<string, Set<string>>();
  for (const [key, name] of pairs) names.set(key, (names.get(key) ?? new Set()).add(name));
  const isMine = (name: string): boolean => name.startsWith(label);
  return [...names].filter(([, those]) => those.size > 1 && [...those].some(isMine)).map(([key]) => key);
}

interface RunThere {
  id: string;
  name: string;
  status: string;
  endedAt: Date | null;
  /** The names that its steps recorded. */
  told: string[];
}

async function readThere({ onPrimary }: Cluster, label: string) {
  const names = async (sql: string): Promise<string[]> =>
    (await onPrimary<{ name: string }>(sql, [`${label}/%`])).map(({ name }) => name);
  const movements = await names(
    `SELECT reference AS name FROM stock_movements WHERE reference LIKE $1 AND kind = 'receipt'`,
  );
  const orders = await names('SELECT external_key AS name FROM orders WHERE external_key LIKE $1');
  const runs = await onPrimary<RunThere>(
    `SELECT r.id::text, p.payload -> 'body' ->> 'name' AS name, r.status::text, r.completed_at AS "endedAt",
        ARRAY(SELECT s.outputs ->> 'name' FROM steps s WHERE s.tenant_id = r.tenant_id AND s.run_id = r.id AND s.outputs ? 'name') AS told
      FROM runs r JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id WHERE p.payload -> 'body' ->> 'name' LIKE $1`,
    [`${label}/%`],
  );
  const [waiting] = await onPrimary<{ many: number }>(
    `SELECT count(*)::int AS many FROM webhook_deliveries WHERE status = 'pending'`,
  );
  return {
    movements: new Set(movements),
    orders: new Set(orders),
    doubled: movements.length - new Set(movements).size + orders.length - new Set(orders).size,
    runs: Map.groupBy(runs, ({ name }) => name),
    pending: waiting?.many ?? 0,
  };
}

/** Each key at each API, since processes share nothing. */
async function keysRefused({ apis, keys }: Watched): Promise<number> {
  const answers = await Promise.all(
    apis.flatMap(({ url }) => keys.map((headers) => fetch(`${url}/v1/orders?limit=1`, { headers }))),
  );
  return answers.filter(({ ok }) => !ok).length;
}

const listErrors = (log: OwnProcess['log']): string[] =>
  log
    .filter(({ level }) => level === 'error' || level === 50)
    .map((line) => `${String(line['msg'])} ${JSON.stringify(line['err'] ?? '').slice(0, 400)}`);

/** True if every process has done something of each kind since. */
export const hasRecovered = (watched: Watched, commands: readonly Command[], backAt: number): boolean =>
  Object.values(firstOfEach(watched, commands, backAt, [])).every(Number.isFinite);

function firstOfEach(
  { apis, views, arrived }: Pick<Watched, 'apis' | 'views' | 'arrived'>,
  mine: readonly Command[],
  from: number,
  runs: readonly RunThere[],
): FirstOfEach {
  const since = (times: readonly number[]): number => Math.max(0, Math.min(...times.filter((at) => at >= from)) - from);
  const last = (times: readonly number[]): number => Math.max(0, ...times.map((at) => at - from));
  const later = new Set(
    mine.filter(({ accepted, answeredAt }) => accepted && answeredAt >= from).map(({ name }) => name),
  );
  const earlier = new Set(
    mine.filter(({ accepted, answeredAt }) => accepted && answeredAt < from).map(({ name }) => name),
  );
  const accepted = mine.filter(({ accepted }) => accepted);
  const stepsAt = arrived.filter((step) => step.path === stepPath && later.has(readName(step))).map(({ at }) => at);
  const hooks = arrived.filter(({ path }) => path === hookPath);
  const findHooks = (names: ReadonlySet<string>): number[] =>
    hooks.filter(({ event }) => names.has(String(event.data['external_key']))).map(({ at }) => at);
  return {
    api: Math.max(
      ...apis.map((_, api) =>
        since(accepted.filter((command) => command.api === api).map(({ answeredAt }) => answeredAt)),
      ),
    ),
    steps: since(stepsAt),
    deliveries: since(findHooks(later)),
    sockets: Math.max(...views.flatMap(({ runs, deliveries }) => [since(runs), since(deliveries)])),
    backlog: Math.max(
      last(findHooks(earlier)),
      last(
        runs
          .filter(({ name, endedAt }) => earlier.has(name) && endedAt !== null)
          .map(({ endedAt }) => (endedAt as Date).getTime()),
      ),
    ),
  };
}
