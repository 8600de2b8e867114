import { StepRef, StepStatusEnum } from '#src/automation/runs/run-details.graphql.ts';
import { writeStepKey } from '#src/automation/runs/run-details.reads.ts';
import { type StepStatus, stepStatuses } from '#src/automation/runs/run-status.rules.ts';
import { RunRef } from '#src/automation/runs/runs.graphql.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { decodeText, offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { isStorable, unstorable } from '#src/infra/json.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import {
  countNodeSteps,
  countSteps,
  type ListedStep,
  listSteps,
  type NodeStepCounts,
  type StepFilter,
  type StepPlace,
} from './step-lists.reads.ts';
import { previewedBytes, readOutputPreviews, readOutputSizes } from './step-outputs.reads.ts';

const StepConnection = defineConnection(StepRef);

const StepFilterInput = builder.inputType('StepFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    nodeId: t.string({ description: 'The id of the node in the workflow.' }),
    nodePath: t.string({ description: 'The same with the ids of the loops around it: `each/send`.' }),
    status: t.field({ type: [StepStatusEnum], description: 'Any of these; all where it is empty or left out.' }),
    pathPrefix: t.string({ description: 'What the path begins with: `each/3/` for round 3 of the loop `each`.' }),
  }),
});

function readFilter(given: StepFilter | null | undefined): StepFilter {
  for (const name of ['nodeId', 'nodePath', 'pathPrefix'] as const) {
    if (!isStorable(given?.[name])) throw new ValidationError({ [name]: [unstorable] });
  }
  return given ?? {};
}

/** Percent-encoded, because a cursor's text is Latin-1. */
const stepCursors: Cursors<ListedStep, StepPlace> = {
  write: ({ startedMicros, attempt, path }) => `step:${startedMicros}/${attempt}/${encodeURIComponent(path)}`,
  read(text) {
    const [, micros, attempt, encoded] = /^step:(\d{1,16})\/(\d{1,4})\/([!-~]+)$/.exec(text) ?? [];
    const path = encoded === undefined ? undefined : decodeText(encoded);
    return path === undefined ? undefined : { startedMicros: Number(micros), attempt: Number(attempt), path };
  },
};

const pages = createFieldLoader((context, runIds: number[], asked: { filter: StepFilter; page: KeyPage<StepPlace> }) =>
  listSteps(context.deps.database, inTenant(context).tenantId, runIds, asked),
);
const totals = createFieldLoader((context, runIds: number[], asked: { filter: StepFilter; most: number }) =>
  countSteps(context.deps.database, inTenant(context).tenantId, runIds, asked),
);
const nodeCounts = createFieldLoader((context, runIds: number[], filter: StepFilter) =>
  countNodeSteps(context.deps.database, inTenant(context).tenantId, runIds, filter),
);

const StepCounts = builder.objectRef<NodeStepCounts>('StepCounts').implement({
  description: 'How many attempts at a node there are.',
  fields: (t) => ({
    nodeId: t.exposeString('nodeId', { description: 'The id of the node in the workflow.' }),
    nodePath: t.exposeString('nodePath', {
      description: 'The same with the loops around it: `each/send`. Nodes of different loops may have the same id.',
    }),
    total: t.expose('total', { type: 'Long', description: 'All that the filter leaves, whatever their status.' }),
    byStatus: t.field({
      description: 'How many have each status.',
      type: builder.objectRef<Record<StepStatus, number>>('StepStatusCounts').implement({
        description: 'Every status, zeros included.',
        fields: (counts) =>
          Object.fromEntries(stepStatuses.map((status) => [status, counts.expose(status, { type: 'Long' })])),
      }),
      resolve: ({ byStatus }) => byStatus,
    }),
    branches: t.exposeStringList('branches', {
      description: 'The branches that they went along, each once. A failed step has none.',
    }),
  }),
});

builder.objectFields(RunRef, (t) => ({
  stepConnection: t.connection(
    {
      type: StepRef,
      description: 'Its steps in the order they began.',
      args: { filter: t.arg({ type: StepFilterInput }), offset: t.arg.int(offsetArg) },
      resolve: (run, { filter: given, ...page }, context, info) => {
        const filter = readFilter(given);
        return pageByKey(
          page,
          stepCursors,
          async (keys) => (await pages(context, info, run.id, { filter, page: keys })) ?? [],
          async (most) => (await totals(context, info, run.id, { filter, most })) ?? 0,
        );
      },
    },
    StepConnection,
  ),
  stepCounts: t.field({
    type: [StepCounts],
    complexity: 10,
    description:
      'The number of its steps by node and status, in the order of the paths of nodes. Nodes without a step are left out.',
    args: { filter: t.arg({ type: StepFilterInput }) },
    resolve: async (run, { filter }, context, info) =>
      (await nodeCounts(context, info, run.id, readFilter(filter))) ?? [],
  }),
}));

const outputSizes = createFieldLoader((context, keys: string[], _asked: undefined) =>
  readOutputSizes(context.deps.database, inTenant(context).tenantId, keys),
);
const outputPreviews = createFieldLoader((context, keys: string[], _asked: undefined) =>
  readOutputPreviews(context.deps.database, inTenant(context).tenantId, keys),
);

const isLarge = (bytes: number | null | undefined): boolean => bytes != null && bytes > previewedBytes;

builder.objectFields(StepRef, (t) => ({
  outputBytes: t.int({
    nullable: true,
    complexity: 1,
    description: 'Size of the outputs as JSON text in UTF-8, as `outputUrl` returns it; null without outputs.',
    resolve: (step, _args, context, info) => outputSizes(context, info, writeStepKey(step), undefined),
  }),
  outputPreview: t.field({
    type: 'JSON',
    nullable: true,
    complexity: 1,
    description: `The outputs. Of more than ${previewedBytes / 1024} KiB only \`{truncated, length, start}\`, as of \`inputs\`.`,
    resolve: (step, _args, context, info) => outputPreviews(context, info, writeStepKey(step), undefined),
  }),
  outputUrl: t.string({
    nullable: true,
    complexity: 1,
    description: `Where outputs of more than ${previewedBytes / 1024} KiB are read whole, without a token, for an hour; null for others.`,
    resolve: async (step, _args, context, info) => {
      const { tenantId } = inTenant(context);
      const key = writeStepKey(step);
      if (!isLarge(await outputSizes(context, info, key, undefined))) return null;
      return context.automation.outputLinks.sign(tenantId, Buffer.from(key).toString('base64url')).url;
    },
  }),
}));
