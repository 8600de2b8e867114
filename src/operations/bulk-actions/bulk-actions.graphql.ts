import { encodeGlobalID } from '@pothos/plugin-relay';
import { assertAccess, type FieldAccess } from '#src/graphql/access.ts';
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
import { NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import {
  type BulkActionRow,
  countBulkActions,
  findBulkAction,
  listBulkActions,
  listRefusals,
  type Refusal,
} from './bulk-actions.reads.ts';
import { type BulkActionKind, bulkActionKinds, bulkActionStatuses, requiredAccess } from './bulk-actions.rules.ts';
import { cancelBulkAction, continueBulkAction } from './bulk-actions.service.ts';
import { type BulkActionChange, watchBulkAction } from './watch-bulk-action.service.ts';

/** The access that starting or continuing an action requires. */
export const accessTo = (kind: BulkActionKind): Partial<FieldAccess> => ({ [requiredAccess[kind]]: true });

const itemTypes: Record<BulkActionKind, string> = {
  retry_runs: 'Run',
  rerun_runs: 'Run',
  resume_runs: 'Run',
  cancel_runs: 'Run',
  replay_dead_letters: 'DeadLetter',
  discard_dead_letters: 'DeadLetter',
  resend_webhook_deliveries: 'WebhookDelivery',
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
      resolve: ({ kind, id }) => encodeGlobalID(itemTypes[kind], id),
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
  loadOne: (id, { tenant, deps }) =>
    tenant ? findBulkAction(deps.database, tenant.id, readId('BulkAction', id)).then((row) => row ?? null) : null,
  isTypeOf: (value) => isRow(value, 'kind', 'refused', 'startedBy'),
  extensions: nodeAccess({ member: true }),
  description:
    'One action on many items, executed in batches. Its items are chosen when it starts. Each is done once, also when workers die. Kept for 30 days after its end.',
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
        resolve: ({ id, refused }, page, context) => {
          const { deps, tenantId } = inTenant(context);
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
    description: 'A bulk action of the tenant.',
    nullable: true,
    authScopes: { member: true },
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const { deps, tenantId } = inTenant(context);
      return (await findBulkAction(deps.database, tenantId, readId('BulkAction', id))) ?? null;
    },
  }),
  bulkActions: t.connection(
    {
      type: BulkActionRef,
      description: 'The bulk actions of the tenant, newest first.',
      authScopes: { member: true },
      args: { offset: t.arg.int(offsetArg) },
      resolve: (_root, page, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageByKey<BulkActionRow, bigint>(
          page,
          idCursors,
          (keys) => listBulkActions(deps.database, tenantId, keys),
          (most) => countBulkActions(deps.database, tenantId, most),
        );
      },
    },
    defineConnection(BulkActionRef),
  ),
}));

export async function requireBulkAction(context: Context, id: number): Promise<BulkActionRow> {
  const { deps, tenantId } = inTenant(context);
  const row = await findBulkAction(deps.database, tenantId, id);
  if (!row) throw new NotFoundError();
  return row;
}

builder.relayMutationField(
  'cancelBulkAction',
  { inputFields: idField },
  {
    description: 'Cancels an action. One that runs stops before its next batch; what it did by then stays.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id } }, context) =>
      cancelBulkAction(context.deps, inTenant(context).actor, readId('BulkAction', id)),
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
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id } }, context) =>
      continueBulkAction(context.deps, inTenant(context).actor, readId('BulkAction', id), {
        mayRun: (kind) => assertAccess(context, accessTo(kind)),
      }),
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
    authScopes: { member: true },
    description:
      'The action as it is now, then its changes in order, and the end when it has ended. A reader that falls behind gets the latest only.',
    args: { id: t.arg.id({ description: 'The action to follow.', required: true }) },
    subscribe: async (_root, { id }, context) => {
      const { deps, tenantId } = inTenant(context);
      return new LiveStream(await watchBulkAction(deps, tenantId, readId('BulkAction', id)));
    },
    resolve: ({ bulkAction }: BulkActionChange) => bulkAction,
  }),
);
