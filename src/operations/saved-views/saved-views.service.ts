import type { SavedView } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { type FieldErrors, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { namesUnique } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedSavedView } from './saved-views.declarations.ts';
import {
  createSavedViewInput,
  type ListArguments,
  savedViewLimits,
  updateSavedViewInput,
} from './saved-views.inputs.ts';

/** Says what is wrong with arguments of a list; the graph knows its lists. */
type FindProblems = (given: ListArguments) => FieldErrors;

/** The user who acts. A view always has one: API keys and the system have none. */
export type ActingUser = Actor & { userId: bigint };

const notYours =
  'You have no such view. One that somebody else shares is changed by its owner alone; save one of your own.';
const noneThere = 'There is no such view that is yours or shared.';

function assertArguments(findProblems: FindProblems, given: ListArguments): void {
  const problems = findProblems(given);
  if (Object.keys(problems).length > 0) throw new ValidationError(problems);
}

/** Saves a view. ValidationError if the list does not take the filter, the name is taken, or the user has too many views. */
export async function createSavedView(
  { database }: Pick<Deps, 'database'>,
  actor: ActingUser,
  given: unknown,
  findProblems: FindProblems,
): Promise<SavedView> {
  const { list, name, filter, orderBy, columns, shared } = parseInput(createSavedViewInput, given);
  assertArguments(findProblems, { list, filter, orderBy });
  const { tenantId, userId } = actor;
  return namesUnique(() =>
    database.withTenant(tenantId, async (tx) => {
      // One at a time for a user, so that two do not both find room for the last.
      await lockNamed(tx, `saved-views/${tenantId}/${userId}`);
      if ((await tx.savedView.count({ where: { tenantId, userId } })) >= savedViewLimits.ofUser) {
        const message = `A user has at most ${savedViewLimits.ofUser} views; delete one first.`;
        throw new ValidationError({ name: [message] });
      }
      const view = await tx.savedView.create({
        data: {
          tenantId,
          userId,
          list,
          name,
          filter: filter ?? {},
          orderBy: orderBy ?? {},
          columns: columns ?? [],
          shared: shared ?? false,
        },
      });
      const metadata = { list, name, shared: view.shared };
      await recordAudit(tx, actor, { resource: auditedSavedView, action: 'create', resourceId: view.id, metadata });
      return view;
    }),
  );
}

/** Changes the given members of the user's own view. A filter that became outdated stays until it is replaced. */
export async function updateSavedView(
  { database }: Pick<Deps, 'database'>,
  actor: ActingUser,
  id: bigint,
  given: unknown,
  findProblems: FindProblems,
): Promise<SavedView> {
  const { name, filter, orderBy, columns, shared } = parseInput(updateSavedViewInput, given);
  const { tenantId, userId } = actor;
  return namesUnique(() =>
    database.withTenant(tenantId, async (tx) => {
      const view = await tx.savedView.findUnique({ where: { tenantId_id: { tenantId, id }, userId } });
      if (!view) throw new NotFoundError(notYours);
      if (filter !== undefined || orderBy !== undefined)
        assertArguments(findProblems, { list: view.list, filter, orderBy });
      const changes = {
        ...(name != null && name !== view.name && { name }),
        ...(filter !== undefined && { filter: filter ?? {} }),
        ...(orderBy !== undefined && { orderBy: orderBy ?? {} }),
        ...(columns != null && { columns }),
        ...(shared != null && shared !== view.shared && { shared }),
      };
      if (Object.keys(changes).length === 0) return view;
      const { count } = await tx.savedView.updateMany({ where: { tenantId, id, userId }, data: changes });
      if (count === 0) throw new NotFoundError(notYours);
      const metadata = { list: view.list, changed: Object.keys(changes) };
      await recordAudit(tx, actor, { resource: auditedSavedView, action: 'update', resourceId: id, metadata });
      return tx.savedView.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } });
    }),
  );
}

/** Deletes the user's own view; with `anyShared`, also a shared one of somebody else. */
export async function deleteSavedView(
  { database }: Pick<Deps, 'database'>,
  actor: ActingUser,
  id: bigint,
  { anyShared }: { anyShared: boolean },
): Promise<void> {
  const { tenantId, userId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const deletable = anyShared ? { OR: [{ userId }, { shared: true }] } : { userId };
    const { count } = await tx.savedView.deleteMany({ where: { tenantId, id, ...deletable } });
    if (count === 0) throw new NotFoundError(anyShared ? noneThere : notYours);
    await recordAudit(tx, actor, { resource: auditedSavedView, action: 'delete', resourceId: id });
  });
}
