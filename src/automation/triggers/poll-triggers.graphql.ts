import { previewInput, rewindInput, type PollConfig } from '#src/automation/polls/polls.inputs.ts';
import { type PollPreview, type PreviewedRecord, previewPoll } from '#src/automation/polls/preview-poll.service.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { pollTriggerNow, rewindTrigger } from './poll-triggers.service.ts';
import { readTriggerConfig } from './triggers.rules.ts';

builder.prismaObject('Poll', {
  description: 'The progress of a poll trigger in its list.',
  fields: (t) => ({
    watermark: t.exposeString('watermark', {
      nullable: true,
      description:
        'The position up to which all records have been handled: a time, an id or a cursor. Null at the start of the list.',
    }),
    isReading: t.boolean({
      description: 'True while a pass through the list has begun and not ended, also between two attempts.',
      select: { sweep: true, leaseUntil: true },
      resolve: ({ sweep, leaseUntil }) => sweep !== null || (leaseUntil !== null && leaseUntil > new Date()),
    }),
    isWaiting: t.exposeBoolean('waits', {
      description: 'True while it waits because many runs of the workflow are queued.',
    }),
    nextPollAt: t.expose('nextAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The next planned poll. Null while the trigger or its workflow is inactive.',
    }),
    lastPolledAt: t.expose('lastPolledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a poll last began.',
    }),
    lastSuccessAt: t.expose('lastSuccessAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the list was last read to its end.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why the last poll failed. Null after a success.',
    }),
    failures: t.exposeInt('failures', { description: 'Polls that failed since the last success.' }),
    pagesRead: t.expose('pagesRead', { type: 'Long', description: 'Pages read since the trigger was made.' }),
    recordsSeen: t.expose('recordsSeen', {
      type: 'Long',
      description: 'Records on these pages, including records that were read again.',
    }),
    recordsFired: t.expose('recordsFired', { type: 'Long', description: 'Records that were handed to runs.' }),
  }),
});

builder.prismaObjectField('Trigger', 'poll', (t) =>
  t.relation('poll', { nullable: true, description: 'The progress of a trigger of type poll; null for other types.' }),
);

const trigger = (id: bigint, context: Parameters<typeof inTenant>[0]) => {
  const { db, tenantId } = inTenant(context);
  return { db, where: { tenantId_id: { tenantId, id } } };
};

builder.relayMutationField(
  'pollTriggerNow',
  { inputFields: idField },
  {
    description: 'Asks for new records now. `Trigger.poll` tells the result.',
    authScopes: { tester: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const id = readId('Trigger', input.id);
      await pollTriggerNow(context.automation, inTenant(context).actor, id);
      return { id };
    },
  },
  {
    outputFields: (t) => ({
      trigger: t.prismaField({
        type: 'Trigger',
        resolve: (query, { id }, _args, context) => {
          const { db, where } = trigger(id, context);
          return db.trigger.findUniqueOrThrow({ ...query, where });
        },
      }),
    }),
  },
);

builder.relayMutationField(
  'rewindTrigger',
  mutationInput(rewindInput, idField),
  {
    description:
      'Moves the watermark of a poll trigger backward or forward. The poll continues from there at its next time.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id: given, ...rewind } }, context) => {
      const id = readId('Trigger', given);
      await rewindTrigger(context.automation, inTenant(context).actor, id, rewind);
      return { id };
    },
  },
  {
    outputFields: (t) => ({
      trigger: t.prismaField({
        type: 'Trigger',
        resolve: (query, { id }, _args, context) => {
          const { db, where } = trigger(id, context);
          return db.trigger.findUniqueOrThrow({ ...query, where });
        },
      }),
    }),
  },
);

const PreviewedRecordRef = builder.objectRef<PreviewedRecord>('PolledRecord').implement({
  description: 'A record as a poll trigger would read it.',
  fields: (t) => ({
    value: t.expose('value', { type: 'JSON', nullable: true, description: 'The record, with secrets redacted.' }),
    key: t.exposeString('key', { nullable: true, description: 'The key of the record; null if it cannot be read.' }),
    watermark: t.exposeString('watermark', {
      nullable: true,
      description: 'Its position: a time in UTC, or an id. Null with a cursor, and where it cannot be read.',
    }),
    fault: t.exposeString('fault', { nullable: true, description: 'Why the record cannot be used.' }),
  }),
});

const PreviewRef = builder.objectRef<PollPreview>('PollPreview').implement({
  description: 'The first page of a poll.',
  fields: (t) => ({
    fault: t.exposeString('fault', { nullable: true, description: 'Why a poll with this config would fail.' }),
    from: t.exposeString('from', {
      nullable: true,
      description: 'The position at which the poll begins, with the overlap. Null: the start of the list.',
    }),
    count: t.exposeInt('count', { description: 'Records of the page.' }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether the list has further pages.' }),
    records: t.field({
      type: [PreviewedRecordRef],
      description: 'The first 20 of them.',
      resolve: ({ records }) => records,
    }),
  }),
});

builder.relayMutationField(
  'previewPoll',
  mutationInput(previewInput),
  {
    description: 'Reads the first page of a poll trigger and fires nothing. The trigger need not exist yet.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const config = readTriggerConfig('poll', input.config) as PollConfig;
      return { preview: await previewPoll(context.automation, inTenant(context).tenantId, config) };
    },
  },
  { outputFields: (t) => ({ preview: t.field({ type: PreviewRef, resolve: ({ preview }) => preview }) }) },
);
