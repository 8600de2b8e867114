import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { notifyBulkAction } from './bulk-action-notices.service.ts';
import { ofOperators, withOwner } from './bulk-action-owners.store.ts';
import { auditedBulkAction, runBulkActionJob } from './bulk-actions.declarations.ts';
import { type BulkActionKind, hasEnded, maxItems, maxUnfinished } from './bulk-actions.rules.ts';
import {
  countItems,
  countKeys,
  countUnfinished,
  endBulkAction,
  type IdStatement,
  insertBatches,
  insertBulkAction,
  insertKeys,
  lockBulkAction,
  requestCancel,
  requeue,
} from './bulk-actions.store.ts';

/** Items by a statement that yields their ids, or by the ids themselves. */
export type Selection = { statement: IdStatement } | { ids: readonly bigint[] };

/** Items of operators' actions, by a statement that yields their UUIDs as `key`, numbered as `item`. */
export interface KeySelection {
  keys: IdStatement;
}

export interface StartBulkAction {
  kind: BulkActionKind;
  selection: Selection | KeySelection;
  /** What the action does to every item, besides its kind, as JSON text. */
  given?: string;
  /** The filter or ids as the caller wrote them, for the audit log. */
  asked: unknown;
}

const chooseStatement = (selection: Selection): IdStatement =>
  'statement' in selection
    ? selection.statement
    : { text: 'SELECT DISTINCT id FROM unnest($1::bigint[]) AS given(id)', values: [selection.ids.map(String)] };

const tooMany = (): ValidationError =>
  new ValidationError({
    filter: [`More than ${maxItems} items match, which one action does not take on. Narrow the filter.`],
  });

/** How many items the action would take, and the ids of the first. */
export async function rehearseBulkAction(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  selection: Selection,
): Promise<{ count: number; sample: number[] }> {
  const found = await countItems(database, tenantId, chooseStatement(selection));
  if (found.count > maxItems) throw tooMany();
  return found;
}

/** The same for items with UUIDs. */
export async function rehearseWithKeys(
  { database }: Pick<Deps, 'database'>,
  owner: string,
  { keys }: KeySelection,
): Promise<{ count: number; sample: string[] }> {
  const found = await countKeys(database, owner, keys);
  if (found.count > maxItems) throw tooMany();
  return found;
}

/** Chooses the items and queues the action; one without items has completed. */
export async function startBulkAction(
  { database, jobs }: Pick<Deps, 'database' | 'jobs'>,
  actor: Actor,
  { kind, selection, given, asked }: StartBulkAction,
): Promise<{ id: number; count: number }> {
  const { tenantId } = actor;
  return withOwner(database, tenantId, async (tx) => {
    await requirePlace(tx, tenantId);
    const id = await insertBulkAction(tx, actor, { kind, given: given ?? null });
    const statement =
      'keys' in selection
        ? await insertKeys(tx, { tenantId, actionId: id }, selection.keys)
        : chooseStatement(selection);
    const count = await insertBatches(tx, { tenantId, actionId: id, kind }, statement);
    if (count > maxItems) throw tooMany();
    if (count === 0) await endBulkAction(tx, { tenantId, id }, { status: 'completed' });
    else await jobs.send(runBulkActionJob, { tenantId, bulkActionId: id }, { tx });
    await recordAudit(tx, actor, {
      resource: auditedBulkAction,
      action: 'start',
      resourceId: id,
      metadata: { kind, total: count, asked: summary(asked) },
    });
    return { id, count };
  });
}

const maxSummaryChars = 1_000;

/** Text of bounded length; ids of the database are no JSON numbers. */
const summary = (asked: unknown): string =>
  JSON.stringify(asked, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).slice(
    0,
    maxSummaryChars,
  );

/** Serialises starts of one tenant, so that the limit is exact. */
async function requirePlace(tx: Tx, tenantId: string): Promise<void> {
  await lockNamed(tx, `bulk-actions/${tenantId}`);
  if ((await countUnfinished(tx, tenantId)) < maxUnfinished) return;
  throw new AppError(
    'UNPROCESSABLE',
    `${maxUnfinished} bulk actions of ${tenantId === ofOperators ? 'operators' : 'the tenant'} have not ended. Wait for one, or cancel one.`,
  );
}

/** Cancels an action. One that runs stops before its next batch; what it did by then stays. */
export async function cancelBulkAction(
  { database }: Pick<Deps, 'database'>,
  actor: Actor,
  id: bigint,
): Promise<{ id: number }> {
  const { tenantId } = actor;
  return withOwner(database, tenantId, async (tx) => {
    const found = await lockBulkAction(tx, tenantId, id);
    if (!found) throw new NotFoundError();
    if (hasEnded(found.status) && found.status !== 'stopped') throw new ConflictError(`It is ${found.status} already.`);
    if (found.status === 'running') await requestCancel(tx, tenantId, id);
    else await endBulkAction(tx, { tenantId, id: Number(id) }, { status: 'cancelled' });
    await recordAudit(tx, actor, { resource: auditedBulkAction, action: 'cancel', resourceId: id });
    notifyBulkAction(tx, tenantId, Number(id));
    return { id: Number(id) };
  });
}

/** Continues an action that stopped, with the rights of the caller, after `mayRun` has agreed to its kind. */
export async function continueBulkAction(
  { database, jobs }: Pick<Deps, 'database' | 'jobs'>,
  actor: Actor,
  id: bigint,
  { mayRun }: { mayRun: (kind: BulkActionKind) => void },
): Promise<{ id: number }> {
  const { tenantId } = actor;
  return withOwner(database, tenantId, async (tx) => {
    await requirePlace(tx, tenantId);
    const found = await lockBulkAction(tx, tenantId, id);
    if (!found) throw new NotFoundError();
    mayRun(found.kind);
    if (found.status !== 'stopped')
      throw new ConflictError(`Only an action that stopped can be continued; this one is ${found.status}.`);
    await requeue(tx, actor, id);
    await jobs.send(runBulkActionJob, { tenantId, bulkActionId: Number(id) }, { tx });
    await recordAudit(tx, actor, { resource: auditedBulkAction, action: 'continue', resourceId: id });
    notifyBulkAction(tx, tenantId, Number(id));
    return { id: Number(id) };
  });
}
