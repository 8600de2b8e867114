import { randomUUID } from 'node:crypto';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { every } from '#src/infra/background/every.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { fetchFromHttp } from './fetch-http.service.ts';
import { fetchFromSftp } from './fetch-sftp.service.ts';
import { putExports } from './put-exports.service.ts';
import { faultSentence, retryAfter } from './transfer-failures.service.ts';
import { transferFailed } from './transfers.declarations.ts';
import {
  endTransfer,
  failTransfer,
  leaseSeconds,
  releaseTransfer,
  renewTransfer,
  type TakenTransfer,
  takeTransfer,
} from './transfers.store.ts';

/** Milliseconds that one run may take, whatever the server does. */
const runMs = 3_600_000;

/** Runs a transfer; does nothing unless a run is due and no other worker runs it. A failure is stored with the transfer. */
export async function runTransfer(
  deps: ImportDeps,
  { tenantId, transferId }: { tenantId: string; transferId: number },
): Promise<void> {
  const { database } = deps;
  if (deps.ending.aborted) return;
  const transfer = await database.withTenantSql(tenantId, async (tx) => {
    await lockNamed(tx, `transfers/${tenantId}`);
    return takeTransfer(tx, { tenantId, id: transferId, lease: randomUUID() });
  });
  if (!transfer) return;
  const lost = new AbortController();
  const everyMs = (leaseSeconds * 1_000) / 4;
  const renewing = every({
    everyMs,
    firstMs: everyMs,
    work: async () => (await renewTransfer(database, transfer)) || lost.abort(),
    log: deps.log,
    fault: 'The lease of a transfer was not renewed.',
    level: 'warn',
  });
  try {
    const signal = AbortSignal.any([deps.ending, lost.signal, AbortSignal.timeout(runMs)]);
    await endTransfer(database, transfer, { hasSucceeded: await work(deps, transfer, signal) });
  } catch (error) {
    if (deps.ending.aborted) await releaseTransfer(database, transfer);
    else await fail(deps, transfer, error);
  } finally {
    await renewing.stop();
  }
}

/** Returns whether it did what was requested; it may only have finished the files of an earlier run. */
function work(deps: ImportDeps, transfer: TakenTransfer, signal: AbortSignal): Promise<boolean> {
  if (transfer.direction === 'export') return putExports(deps, transfer, signal);
  return transfer.sourceId === null ? fetchFromSftp(deps, transfer, signal) : fetchFromHttp(deps, transfer, signal);
}

async function fail(deps: ImportDeps, transfer: TakenTransfer, error: unknown): Promise<void> {
  const { tenantId, id } = transfer;
  const sentence = faultSentence(error);
  const details = { err: error, tenantId, transferId: id };
  if (sentence === undefined) deps.log.error(details, 'A transfer failed.');
  else deps.log.warn(details, 'A transfer could not be done; its lastError says why.');
  const message = sentence ?? 'It failed inside the server, whose log says why.';
  const retryInSeconds = retryAfter(error, transfer.attempt);
  await deps.database.withTenantSql(tenantId, async (tx) => {
    const failed = await failTransfer(tx, transfer, { error: message, retryInSeconds });
    if (!failed || retryInSeconds !== undefined || failed.failures > 1) return;
    const { direction, place, profile, lastSuccessAt } = failed;
    await publishEvent(tx, {
      tenantId,
      topic: transferFailed,
      data: { id, direction, place, profile, error: message, last_success_at: lastSuccessAt?.toISOString() ?? null },
    });
  });
}
