import { readDeadLetterFilter, selectDeadLetters } from '#src/automation/dead-letters/bulk-dead-letters.store.ts';
import { selectRuns } from '#src/automation/runs/bulk/bulk-runs.store.ts';
import { readRunFilter } from '#src/automation/runs/run-filters.reads.ts';
import { findRuns } from '#src/automation/runs/runs.reads.ts';
import { selectDeliveries } from '#src/commerce/webhooks/bulk-deliveries.store.ts';
import { type DeliveryFilter, findDeliveries } from '#src/commerce/webhooks/deliveries.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput, readId, readUuid } from '#src/infra/inputs.ts';
import { storableJson } from '#src/infra/json.ts';
import { accessTo, BulkActionRef, requireBulkAction } from './bulk-actions.graphql.ts';
import {
  cancelRunsInput,
  deadLettersInput,
  deliveriesInput,
  eventIdInput,
  maxResumeBytes,
  rerunRunsInput,
  resumeRunsInput,
  retryRunsInput,
  selectedIdsInput,
  type SelectionInput,
} from './bulk-actions.inputs.ts';
import type { BulkActionKind } from './bulk-actions.rules.ts';
import { rehearseBulkAction, type Selection, startBulkAction } from './bulk-actions.service.ts';
import type { IdStatement } from './bulk-actions.store.ts';

interface Started {
  id: number | null;
  count: number;
  sample: number[];
}

interface Start {
  kind: BulkActionKind;
  itemType: string;
  select: (tenantId: string, filter: never) => IdStatement;
  given?: string;
}

/** Starts an action, or rehearses it. */
async function start(
  context: Context,
  input: SelectionInput,
  { kind, itemType, select, given }: Start,
): Promise<Started> {
  const { deps, actor, tenantId } = inTenant(context);
  const { filter } = input;
  const { ids } = parseInput(selectedIdsInput, { ids: input.ids });
  if ((filter == null) === (ids == null)) throw new ValidationError({ filter: ['Give either a filter or ids.'] });
  const selection: Selection =
    ids != null
      ? { ids: ids.map((id) => readId(itemType, id)) }
      : { statement: select(tenantId, (filter ?? {}) as never) };
  if (input.dryRun === true) return { id: null, ...(await rehearseBulkAction(deps, tenantId, selection)) };
  const started = await startBulkAction(deps, actor, {
    kind,
    selection,
    asked: ids == null ? { filter } : { ids },
    ...(given !== undefined && { given }),
  });
  return { ...started, sample: [] };
}

const countField = 'How many items it has; of a dry run, how many it would have.';
const sampleField = 'The first items of a dry run, the oldest first; empty without one.';

interface RunsAction {
  /** That of `resumeRuns` has one field more. */
  input: typeof retryRunsInput | typeof resumeRunsInput;
  description: string;
  /** What the action does to every run, as JSON text. */
  givenIn?: (data: unknown) => string;
}

function runsAction(
  name: string,
  action: 'retry' | 'rerun' | 'resume' | 'cancel',
  { input, description, givenIn }: RunsAction,
): void {
  const kind = `${action}_runs` as const;
  builder.relayMutationField(
    name,
    mutationInput(input as typeof resumeRunsInput),
    {
      description,
      authScopes: accessTo(kind),
      errors: errorTypes,
      resolve: (_root, { input: given }, context) =>
        start(context, given, {
          kind,
          itemType: 'Run',
          select: (tenantId, filter) => selectRuns(tenantId, action, readRunFilter(filter)),
          ...(givenIn && { given: givenIn(given.data) }),
        }),
    },
    {
      outputFields: (t) => ({
        bulkAction: t.field({
          type: BulkActionRef,
          nullable: true,
          description: 'The action; null for a dry run.',
          resolve: ({ id }, _args, context) => (id === null ? null : requireBulkAction(context, id)),
        }),
        count: t.exposeInt('count', { description: countField }),
        runs: t.field({
          type: ['Run'],
          description: sampleField,
          resolve: async ({ sample }, _args, context) => {
            const { deps, tenantId } = inTenant(context);
            const found = await findRuns(deps.database, tenantId, sample);
            return sample.flatMap((id) => found.get(id) ?? []);
          },
        }),
      }),
    },
  );
}

/** The outputs of every resumed step, as JSON text. */
function readResumeData(data: unknown): string {
  const text = storableJson({ data: data ?? null }, 'data');
  if (Buffer.byteLength(text) <= maxResumeBytes) return text;
  throw new ValidationError({ data: ['Give at most 64 KiB, or resume runs one by one.'] });
}

runsAction('retryRuns', 'retry', {
  input: retryRunsInput,
  description: 'Retries many failed runs, as `retryRun` does one. It starts with few.',
});
runsAction('rerunRuns', 'rerun', {
  input: rerunRunsInput,
  description: 'Runs many runs again, as `rerunRun` does one, each with its payload. It starts with few.',
});
runsAction('resumeRuns', 'resume', {
  input: resumeRunsInput,
  description: 'Resumes many waiting runs: every step of theirs that waits for an outside caller, with the same data.',
  givenIn: readResumeData,
});
runsAction('cancelRuns', 'cancel', {
  input: cancelRunsInput,
  description: 'Stops many runs that have not ended, as `cancelRun` does one.',
});

function deadLettersAction(
  name: string,
  kind: 'replay_dead_letters' | 'discard_dead_letters',
  description: string,
): void {
  builder.relayMutationField(
    name,
    mutationInput(deadLettersInput),
    {
      description,
      authScopes: accessTo(kind),
      errors: errorTypes,
      resolve: (_root, { input }, context) =>
        start(context, input, {
          kind,
          itemType: 'DeadLetter',
          select: (tenantId, filter) => selectDeadLetters(tenantId, readDeadLetterFilter(filter)),
        }),
    },
    {
      outputFields: (t) => ({
        bulkAction: t.field({
          type: BulkActionRef,
          nullable: true,
          description: 'The action; null for a dry run.',
          resolve: ({ id }, _args, context) => (id === null ? null : requireBulkAction(context, id)),
        }),
        count: t.exposeInt('count', { description: countField }),
        deadLetters: t.prismaField({
          type: ['DeadLetter'],
          description: sampleField,
          resolve: (query, { sample }, _args, context) => {
            const { db, tenantId } = inTenant(context);
            const where = { tenantId, id: { in: sample.map(BigInt) } };
            return db.deadLetter.findMany({ ...query, where, orderBy: { id: 'asc' } });
          },
        }),
      }),
    },
  );
}

deadLettersAction(
  'replayDeadLetters',
  'replay_dead_letters',
  'Starts a run for each of many pending dead letters, as `replayDeadLetter` does for one. It starts with few.',
);
deadLettersAction(
  'discardDeadLetters',
  'discard_dead_letters',
  'Settles many pending dead letters without runs, as `discardDeadLetter` does one.',
);

builder.relayMutationField(
  'resendWebhookDeliveries',
  mutationInput(deliveriesInput),
  {
    description:
      'Makes one more attempt of each of many deliveries, as `resendWebhookDelivery` does of one. It starts with few.',
    authScopes: accessTo('resend_webhook_deliveries'),
    errors: errorTypes,
    resolve: (_root, { input }, context) =>
      start(context, input, {
        kind: 'resend_webhook_deliveries',
        itemType: 'WebhookDelivery',
        select: (tenantId, { destinationId, errorGroupId, ...filter }: DeliveryFilter) =>
          selectDeliveries({
            ...filter,
            tenantId,
            ...parseInput(eventIdInput, { eventId: filter.eventId }),
            ...(destinationId != null && { destinationId: String(readId('WebhookDestination', destinationId)) }),
            ...(errorGroupId != null && { errorGroupId: readUuid('ErrorGroup', errorGroupId) }),
          }),
      }),
  },
  {
    outputFields: (t) => ({
      bulkAction: t.field({
        type: BulkActionRef,
        nullable: true,
        description: 'The action; null for a dry run.',
        resolve: ({ id }, _args, context) => (id === null ? null : requireBulkAction(context, id)),
      }),
      count: t.exposeInt('count', { description: countField }),
      webhookDeliveries: t.field({
        type: ['WebhookDelivery' as never],
        description: sampleField,
        resolve: async ({ sample }, _args, context) => {
          const { deps, tenantId } = inTenant(context);
          const found = await findDeliveries(deps.database, tenantId, sample);
          return found.toSorted((a, b) => a.id - b.id) as never;
        },
      }),
    }),
  },
);
