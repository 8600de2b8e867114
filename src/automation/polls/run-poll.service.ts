import { randomUUID } from 'node:crypto';
import type { CredentialDeps } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { every } from '#src/infra/background/every.ts';
import { createKnownSecrets, type KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { commitPage, PollLostError } from './commit-page.service.ts';
import { openList } from './list-source.service.ts';
import { announcedFailures } from './poll-failures.rules.ts';
import { faultSentence, isPlaceLost, readRepeatedly, retryAfter } from './poll-failures.service.ts';
import { pollFailed, runPollJob } from './polls.declarations.ts';
import { type PollConfig, pollConfig } from './polls.inputs.ts';
import {
  countQueued,
  endPoll,
  failPoll,
  forgetKeys,
  leaseSeconds,
  releasePoll,
  renewPoll,
  type TakenPoll,
  takePoll,
} from './polls.store.ts';
import { beginningAt } from './positions.rules.ts';
import { readSweptPage } from './read-page.service.ts';
import { advance, beginSweep, type Sweep } from './sweep.rules.ts';

interface PollDeps extends NodeDeps, RunQueue, CredentialDeps {
  /** Aborted when the process stops. */
  ending: AbortSignal;
}

export interface PollLimits {
  /** With this many queued runs of the workflow, the poll waits until there are fewer. */
  maxQueued: number;
  /** The pauses in milliseconds before a page that could not be read is read again. */
  pausesMs: readonly number[];
  /** The time limit for one page in milliseconds. */
  pageMs: number;
}

export const pollLimits: PollLimits = { maxQueued: 1_000, pausesMs: [500, 2_000, 8_000], pageMs: 60_000 };

const waitingSeconds = 5;

/** How a poll ended: `read` to the end of the list, interrupted so that other polls have their `turn`, or it `waits` for queued runs. */
type Outcome = 'read' | 'turn' | 'waits';

/** Runs a poll if it is due and no other worker runs it. A failure of the API is stored with the trigger. */
export async function runPoll(
  deps: PollDeps,
  { tenantId, triggerId }: { tenantId: string; triggerId: number },
  limits: PollLimits = pollLimits,
): Promise<void> {
  const { database } = deps;
  if (deps.ending.aborted) return;
  const poll = await database.withTenantSql(tenantId, async (tx) => {
    await lockNamed(tx, `polls/${tenantId}`);
    return takePoll(tx, { tenantId, triggerId, lease: randomUUID() });
  });
  if (!poll) return;
  const lost = new AbortController();
  const everyMs = (leaseSeconds * 1_000) / 4;
  const renewing = every({
    everyMs,
    firstMs: everyMs,
    work: async () => (await renewPoll(database, poll)) || lost.abort(),
    log: deps.log,
    fault: 'The lease of a poll was not renewed.',
    level: 'warn',
  });
  const secrets = createKnownSecrets();
  const progress: Progress = { sweep: poll.sweep, secrets };
  try {
    const signal = AbortSignal.any([deps.ending, lost.signal]);
    await finish(deps, poll, await readList(deps, poll, { progress, signal, limits }));
  } catch (error) {
    if (deps.ending.aborted) await releasePoll(database, poll, { inSeconds: 0, waits: false });
    else if (!(error instanceof PollLostError || lost.signal.aborted)) await fail(deps, poll, error, progress);
  } finally {
    await renewing.stop();
  }
}

interface Progress {
  sweep: Sweep | null;
  secrets: KnownSecrets;
}

async function readList(
  deps: PollDeps,
  poll: TakenPoll,
  { progress, signal, limits }: { progress: Progress; signal: AbortSignal; limits: PollLimits },
): Promise<Outcome> {
  const { tenantId, workflowId } = poll;
  const { secrets } = progress;
  const config = pollConfig.parse(poll.config);
  const open = await openList(deps, config, { tenantId, secrets });
  let { watermark } = poll;
  let sweep = poll.sweep ?? beginSweep(watermark, config.watermark, poll.now.toISOString());
  let records = 0;
  for (let pages = 1; ; pages += 1) {
    if ((await countQueued(deps.database.system, tenantId, workflowId)) >= limits.maxQueued) return 'waits';
    const at = sweep;
    progress.sweep = at;
    const page = await readRepeatedly(
      () => withTime(limits.pageMs, signal, (limited) => readSweptPage(config, open, at, limited)),
      { ...limits, signal },
    );
    signal.throwIfAborted();
    const swept = advance(config.watermark, watermark, at, page);
    await commitPage(deps, poll, config, { page, sweep: at, swept, secrets });
    ({ watermark } = swept);
    if (swept.sweep === null) {
      await forget(deps, poll, config, { watermark, signal });
      return 'read';
    }
    ({ sweep } = swept);
    records += page.records.length;
    if (pages >= config.max_pages || records >= config.max_records) return 'turn';
  }
}

/** Limits the time of a page. An API that is too slow is asked again later. */
async function withTime<T>(ms: number, signal: AbortSignal, read: (limited: AbortSignal) => Promise<T>): Promise<T> {
  const clock = AbortSignal.timeout(ms);
  try {
    return await read(AbortSignal.any([signal, clock]));
  } catch (error) {
    if (!clock.aborted || signal.aborted) throw error;
    const message = `The API did not answer a page within ${ms / 1_000} s.`;
    throw new NodeError('HTTP_TIMEOUT', message, { retryable: true, cause: error });
  }
}

async function forget(
  { database }: PollDeps,
  poll: TakenPoll,
  config: PollConfig,
  { watermark, signal }: { watermark: string | null; signal: AbortSignal },
): Promise<void> {
  const from = config.watermark.by === 'updated_at' ? beginningAt(watermark, config.watermark) : null;
  const window = { windowSeconds: config.window_seconds, from };
  while (!signal.aborted && (await forgetKeys(database.system, poll, window)));
}

async function finish({ database, jobs }: PollDeps, poll: TakenPoll, outcome: Outcome): Promise<void> {
  const { tenantId, triggerId } = poll;
  if (outcome === 'read') return endPoll(database, poll);
  await releasePoll(database, poll, {
    inSeconds: outcome === 'waits' ? waitingSeconds : 0,
    waits: outcome === 'waits',
  });
  if (outcome === 'turn') await jobs.send(runPollJob, { tenantId, triggerId });
}

async function fail(deps: PollDeps, poll: TakenPoll, error: unknown, { sweep, secrets }: Progress): Promise<void> {
  const { tenantId, triggerId, workflowId } = poll;
  const sentence = faultSentence(error);
  const details = { err: error, tenantId, triggerId };
  if (sentence === undefined) deps.log.error(details, 'A poll failed.');
  else deps.log.warn(details, 'A poll failed; its lastError has the reason.');
  const message = secrets.text(sentence ?? 'It failed inside the server, whose log says why.');
  await deps.database.withTenantSql(tenantId, async (tx) => {
    const failed = await failPoll(tx, poll, {
      error: message,
      inSeconds: retryAfter(error, poll.failures),
      restarts: isPlaceLost(error, sweep),
    });
    if (failed?.failures !== announcedFailures) return;
    const { name, failures, lastSuccessAt } = failed;
    await publishEvent(tx, {
      tenantId,
      topic: pollFailed,
      data: {
        trigger_id: triggerId,
        workflow_id: workflowId,
        name,
        error: message,
        failures,
        last_success_at: lastSuccessAt?.toISOString() ?? null,
      },
    });
  });
}
