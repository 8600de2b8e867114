import { encodeGlobalID } from '@pothos/plugin-relay';
import { assertAccess, type FieldAccess, forbidden, hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { idCursors, offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import type { Actor } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { actAsOperator, ofOperators } from './bulk-action-owners.store.ts';
import {
  type BulkActionRow,
  countBulkActions,
  findBulkActions,
  listBulkActions,
  listRefusals,
  type Refusal,
} from './bulk-actions.reads.ts';
import { type BulkActionKind, bulkActionKinds, bulkActionStatuses, requiredAccess } from './bulk-actions.rules.ts';
import { cancelBulkAction, continueBulkAction } from './bulk-actions.service.ts';
import { type BulkActionChange, watchBulkAction } from './watch-bulk-action.service.ts';

/** The access that starting or continuing an action requires. */
export const accessTo = (kind: BulkActionKind): Partial<FieldAccess> => ({ [requiredAccess[kind]]: true });

/** The owners whose actions the caller may see: the tenant of the request, for its members, and operators. */
function listOwners(context: Context): string[] {
  const isOperator = hasAccess(context, { operator: true });
  if (!context.tenant && !isOperator) inTenant(context);
  const isMember = context.tenant !== null && hasAccess(context, { member: true });
  if (!isMember && !isOperator) throw forbidden(context, { member: true });
  return [...(context.tenant && isMember ? [context.tenant.id] : []), ...(isOperator ? [ofOperators] : [])];
}

/** Ids are unique over all owners. */
async function findAllVisible(context: Context, ids: readonly bigint[]): Promise<(BulkActionRow | null)[]> {
  const { database } = context.deps;
  const rows = await Promise.all(listOwners(context).map((owner) => findBulkActions(database, owner, ids)));
  const found = new Map(rows.flat().map((row) => [BigInt(row.id), row]));
  return ids.map((id) => found.get(id) ?? null);
}

async function findVisible(context: Context, id: bigint): Promise<BulkActionRow | null> {
  const [row] = await findAllVisible(context, [id]);
  return row ?? null;
}

const itemTypes: Record<BulkActionKind, string> = {
  retry_runs: 'Run',
  rerun_runs: 'Run',
  resume_runs: 'Run',
  cancel_runs: 'Run',
  replay_dead_letters: 'DeadLetter',
  discard_dead_letters: 'DeadLetter',
  resend_webhook_deliveries: 'WebhookDelivery',
  retry_failed_jobs: 'FailedJob',
};

const Kind = defineEnum('BulkActionKind', bulkActionKinds, {
  description: 'What an action does to each of its items.',
});
const Status = defineEnum('BulkActionStatus', bulkActionStatuses, {
  description: 'How far a bulk action is.',
  values: {
    completed: 'Every item is done or refused.',
    cancelled: 'What was done before stays.',
    stopped: 'It ended early by itself; `error` says why. It can be continued.',
  },
});

const RefusalRef = builder.objectRef<Refusal>('BulkActionRefusal').implement({
  description: 'An item that an action could not be applied to.',
  fields: (t) => ({
    itemId: t.id({
      description: 'The global id of the item.',
      resolve: ({ kind, id, key }) => encodeGlobalID(itemTypes[kind], key ?? id),
    }),
    code: t.exposeString('code', { description: 'Which failure, for programs; as `Error.code` of the single action.' }),
    reason: t.exposeString('reason', { description: 'Why, for people; as the single action says it.' }),
  }),
});

const BulkActionPermissions = permissionsType('BulkActionPermissions', {
  cancel: 'cancelBulkAction',
  continue: 'continueBulkAction',
});

export const BulkActionRef = builder.objectRef<BulkActionRow>('BulkAction');

builder.node(BulkActionRef, {
  id: { resolve: ({ id }) => String(id) },
  loadMany: (ids, context) =>
    findAllVisible(
      context,
      ids.map((id) => readId('BulkAction', id)),
    ),
  isTypeOf: (value) => isRow(value, 'kind', 'refused', 'startedBy'),
  extensions: nodeAccess({ tester: true }),
  description:
    'One action on many items, executed in batches. Its items are chosen when it starts. Each is done once, also when workers die. Members see those of their tenant, operators those of operators. Kept for 30 days after its end.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'Its number, by which the audit log names it.' }),
    kind: t.expose('kind', { type: Kind, description: 'What it does to each item.' }),
    status: t.expose('status', { type: Status }),
    total: t.exposeInt('total', { description: 'Its items.' }),
    done: t.exposeInt('done', { description: 'Items to which it has been applied.' }),
    refused: t.exposeInt('refused', { description: 'Items to which it could not be applied.' }),
    refusals: t.connection(
      {
        type: RefusalRef,
        description: 'Its refused items with their reasons, the oldest item first.',
        args: { offset: t.arg.int(offsetArg) },
        resolve: ({ id, tenantId, refused }, page, { deps }) => {
          return pageByKey<Refusal, bigint>(
            page,
            idCursors,
            (keys) => listRefusals(deps.database, tenantId, id, keys),
            async (most) => Math.min(refused, most),
          );
        },
      },
      defineConnection(RefusalRef),
    ),
    error: t.exposeString('error', { nullable: true, description: 'Why it stopped.' }),
    startedBy: t.exposeString('startedBy', {
      description: 'Who started it or continued it last: the address in the token, else its subject.',
    }),
    viewerCan: t.field({ type: BulkActionPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a worker first took it up since it was started or continued.',
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
  }),
});

builder.queryFields((t) => ({
  bulkAction: t.field({
    type: BulkActionRef,
    description: 'A bulk action of the tenant, or for operators one of operators.',
    nullable: true,
    authScopes: { tester: true },
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => findVisible(context, readId('BulkAction', id)),
  }),
  bulkActions: t.connection(
    {
      type: BulkActionRef,
      description: 'The bulk actions of the tenant, newest first; for operators without a tenant, those of operators.',
      authScopes: { tester: true },
      args: { offset: t.arg.int(offsetArg) },
      resolve: (_root, page, context) => {
        const { database } = context.deps;
        const [owner = ofOperators] = listOwners(context);
        return pageByKey<BulkActionRow, bigint>(
          page,
          idCursors,
          (keys) => listBulkActions(database, owner, keys),
          (most) => countBulkActions(database, owner, most),
        );
      },
    },
    defineConnection(BulkActionRef),
  ),
}));

export async function requireBulkAction(context: Context, id: number | bigint): Promise<BulkActionRow> {
  const row = await findVisible(context, BigInt(id));
  if (!row) throw new NotFoundError();
  return row;
}

/** The caller as one who acts for the owner of an action. */
function actFor(context: Context, owner: string): Actor {
  return owner === ofOperators ? actAsOperator(context.principal) : inTenant(context).actor;
}

builder.relayMutationField(
  'cancelBulkAction',
  { inputFields: idField },
  {
    description: 'Cancels an action. One that runs stops before its next batch; what it did by then stays.',
    authScopes: { tester: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const id = readId('BulkAction', input.id);
      const { tenantId } = await requireBulkAction(context, id);
      return cancelBulkAction(context.deps, actFor(context, tenantId), id);
    },
  },
  {
    outputFields: (t) => ({
      bulkAction: t.field({
        type: BulkActionRef,
        resolve: ({ id }, _args, context) => requireBulkAction(context, id),
      }),
    }),
  },
);

builder.relayMutationField(
  'continueBulkAction',
  { inputFields: idField },
  {
    description:
      'Continues an action that stopped, as an action of the caller, who must be allowed to start one of its kind.',
    authScopes: { tester: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const id = readId('BulkAction', input.id);
      const { tenantId } = await requireBulkAction(context, id);
      return continueBulkAction(context.deps, actFor(context, tenantId), id, {
        mayRun: (kind) => assertAccess(context, accessTo(kind)),
      });
    },
  },
  {
    outputFields: (t) => ({
      bulkAction: t.field({
        type: BulkActionRef,
        resolve: ({ id }, _args, context) => requireBulkAction(context, id),
      }),
    }),
  },
);

builder.subscriptionField('bulkActionUpdated', (t) =>
  t.field({
    type: BulkActionRef,
    authScopes: { tester: true },
    description:
      'The action as it is now, then its changes in order, and the end when it has ended. A reader that falls behind gets the latest only.',
    args: { id: t.arg.id({ description: 'The action to follow.', required: true }) },
    subscribe: async (_root, { id }, context) => {
      const { id: key, tenantId } = await requireBulkAction(context, readId('BulkAction', id));
      return new LiveStream(await watchBulkAction(context.deps, tenantId, BigInt(key)));
    },
    resolve: ({ bulkAction }: BulkActionChange) => bulkAction,
  }),
);
