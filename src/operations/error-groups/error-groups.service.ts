import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedErrorGroup } from './error-groups.declarations.ts';
import { assignInput, muteInput } from './error-groups.inputs.ts';
import type { ErrorGroupStatus } from './error-groups.rules.ts';
import { setAssignee, setGroupStatus } from './error-groups.store.ts';

type Writer = Pick<Deps, 'database'>;

/** Marks a group as repaired: the next failure opens it. */
export const resolveErrorGroup = (deps: Writer, actor: Actor, id: string): Promise<void> =>
  change(deps, actor, id, { action: 'resolve', status: 'resolved' });

/** Hides a group until it fails again, or until it fails after an instant. */
export function muteErrorGroup(deps: Writer, actor: Actor, id: string, given: unknown): Promise<void> {
  const { until } = parseInput(muteInput, given);
  return change(deps, actor, id, { action: 'mute', status: 'muted', mutedUntil: until ?? null });
}

/** Takes back that a group was muted or resolved. */
export const reopenErrorGroup = (deps: Writer, actor: Actor, id: string): Promise<void> =>
  change(deps, actor, id, { action: 'reopen', status: 'open' });

/** Assigns a group to a user of the tenant, or to nobody. */
export async function assignErrorGroup({ database }: Writer, actor: Actor, id: string, given: unknown): Promise<void> {
  const { userId = null } = parseInput(assignInput, given);
  const { tenantId } = actor;
  await database.withTenantSql(tenantId, async (tx) => {
    const { isGroup, isUser } = await setAssignee(tx, tenantId, id, userId);
    if (!isGroup) throw new NotFoundError();
    if (!isUser) throw new ValidationError({ userId: ['No user with a role in the tenant has this id.'] });
    const metadata = { user_id: userId };
    await recordAudit(tx, actor, { resource: auditedErrorGroup, action: 'assign', resourceId: id, metadata });
  });
}

async function change(
  { database }: Writer,
  actor: Actor,
  id: string,
  {
    action,
    status,
    mutedUntil = null,
  }: { action: 'resolve' | 'mute' | 'reopen'; status: ErrorGroupStatus; mutedUntil?: Date | null },
): Promise<void> {
  const { tenantId } = actor;
  await database.withTenantSql(tenantId, async (tx) => {
    if (!(await setGroupStatus(tx, tenantId, id, { status, mutedUntil }))) throw new NotFoundError();
    const metadata = mutedUntil === null ? {} : { until: mutedUntil.toISOString() };
    await recordAudit(tx, actor, { resource: auditedErrorGroup, action, resourceId: id, metadata });
  });
}
