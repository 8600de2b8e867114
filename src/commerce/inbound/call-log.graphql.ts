import { InboundRefusalReason } from '#prisma/enums.ts';
import { findRuns } from '#src/automation/runs/runs.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import {
  callList,
  findCalls,
  findRefusals,
  type LoggedCall,
  type LoggedRefusals,
  refusalList,
} from './call-log.reads.ts';

const reads = { member: true, scope: 'webhooks:read' } as const;

const ReasonEnum = defineEnum('InboundRefusalReason', Object.values(InboundRefusalReason), {
  description: 'Why an inbound endpoint refused a call.',
  values: {
    disabled: 'The endpoint was disabled.',
    too_large: 'The body was over the limit.',
    signature_missing: 'A header that the signature is made of was missing.',
    signature_wrong: 'No signature was that of the body with a secret of the endpoint.',
    timestamp_missing: 'The header that says when the call was signed was missing, or no number of seconds.',
    timestamp_off: 'The call was signed too long before or after it arrived.',
    credentials_missing: 'The header with the password or key was missing.',
    credentials_wrong: 'The password or key was another one.',
    event_id_too_long: 'The id of the event had more than 255 characters.',
    not_storable:
      'The call held text that cannot be stored: it was not UTF-8, or had NUL characters; or the topic is one that only this server publishes.',
    no_trigger: 'The trigger that the endpoint is bound to was gone or inactive.',
  },
});

// A key may read the log of an endpoint, but no run or dead letter.
const automation = { member: true } as const;

const loadRun = createFieldLoader((context, ids: number[], _asked: undefined) =>
  findRuns(context.deps.database, inTenant(context).tenantId, ids),
);
const loadDeadLetter = createRowLoader((db, rows) => db.deadLetter.findMany(rows));

const CallRef = builder.objectRef<LoggedCall>('InboundCall').implement({
  description:
    'A call that an inbound endpoint accepted. It is known for thirty days, so that its event takes effect once.',
  fields: (t) => ({
    eventId: t.exposeString('eventId', { description: 'By which a repeat is known; made for a call without one.' }),
    runId: t.expose('runId', {
      type: 'Long',
      nullable: true,
      description: 'The `databaseId` of the run it started; null where it made an event or a dead letter.',
    }),
    run: t.field({
      type: 'Run',
      nullable: true,
      authScopes: automation,
      description: 'The run of `runId`; null where there is none, and once it is no longer kept.',
      resolve: ({ runId }, _args, context, info) => (runId === null ? null : loadRun(context, info, runId, undefined)),
    }),
    deadLetterId: t.expose('deadLetterId', {
      type: 'Long',
      nullable: true,
      description: 'The `databaseId` of the dead letter it was kept as, where no run could be started.',
    }),
    deadLetter: t.prismaField({
      type: 'DeadLetter',
      nullable: true,
      authScopes: automation,
      description: 'The dead letter of `deadLetterId`; null where there is none, and once it is no longer kept.',
      resolve: async (query, { deadLetterId: id }, _args, context, info) => {
        const asked = { ...query };
        return id === null ? null : await loadDeadLetter(context, info, BigInt(id), asked);
      },
    }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime', description: 'When it was first received.' }),
  }),
});

const RefusalRef = builder.objectRef<LoggedRefusals>('InboundRefusals').implement({
  description: 'Calls that an inbound endpoint refused for one reason in one hour; kept for thirty days.',
  fields: (t) => ({
    reason: t.expose('reason', { type: ReasonEnum, description: 'Why they were refused.' }),
    count: t.expose('count', { type: 'Long', description: 'How many there were.' }),
    sample: t.expose('sample', {
      type: 'JSON',
      description: 'What the last of them sent: `user_agent`, `content_type`, `bytes`.',
    }),
    hour: t.expose('hour', { type: 'DateTime', description: 'When their hour began.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', description: 'When the last of them came.' }),
  }),
});

builder.prismaObjectFields('InboundEndpoint', (t) => ({
  calls: t.connection(
    {
      type: CallRef,
      authScopes: reads,
      select: { id: true },
      description: 'The calls it accepted, newest first.',
      args: { offset: t.arg.int(offsetArg) },
      resolve: ({ id }, page, context) => {
        const { deps, tenantId } = inTenant(context);
        const filter = { tenantId, endpoint: Number(id) };
        return pageInOrder(callList, page, {
          filter,
          order: { field: 'RECEIVED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (eventIds) => findCalls(deps.database, filter, eventIds),
          rowId: ({ eventId }) => eventId,
        });
      },
    },
    defineConnection(CallRef),
  ),
  refusals: t.connection(
    {
      type: RefusalRef,
      authScopes: reads,
      select: { id: true },
      description: 'The calls it refused, by hour and reason, the latest first.',
      args: { offset: t.arg.int(offsetArg) },
      resolve: ({ id }, page, context) => {
        const { deps, tenantId } = inTenant(context);
        const filter = { tenantId, endpoint: Number(id) };
        return pageInOrder(refusalList, page, {
          filter,
          order: { field: 'LAST_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => findRefusals(deps.database, filter, ids),
          rowId: (row) => row.id,
        });
      },
    },
    defineConnection(RefusalRef),
  ),
}));
