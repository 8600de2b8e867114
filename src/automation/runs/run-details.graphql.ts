import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { isRow } from '#src/graphql/rows.ts';
import {
  detailLimits,
  findStep,
  readOfSteps,
  readRunValues,
  readSteps,
  type StepRow,
  writeStepKey,
} from './run-details.reads.ts';
import { stepStatuses } from './run-status.rules.ts';
import { RunRef } from './runs.graphql.ts';

/** Reads a column for all steps of a list that lack it, in one statement. */
const createValueLoader = (column: 'inputs' | 'outputs' | 'error') => {
  const load = createFieldLoader((context, keys: string[], _asked: undefined) =>
    readOfSteps<unknown>(context.deps.database, inTenant(context).tenantId, keys, {
      name: column,
      expression: `s.${column}`,
    }),
  );
  return (step: StepRow, context: Context, info: GraphQLResolveInfo): unknown =>
    column in step ? step[column] : load(context, info, writeStepKey(step), undefined);
};
const loadInputs = createValueLoader('inputs');
const loadOutputs = createValueLoader('outputs');
const loadError = createValueLoader('error');

export const StepStatusEnum = defineEnum('StepStatus', stepStatuses, {
  description: 'Where an attempt at a node stands.',
  values: {
    skipped: 'No branch led to it.',
    waiting: 'For a time to come, or for an outside caller.',
  },
});

const StepOrigin = defineEnum('StepOrigin', ['executed', 'pinned', 'reused'], {
  description: 'Where the outputs of a step come from.',
  values: {
    pinned: 'From the pins of the draft, or from the request that started the test run.',
    reused: 'From the run that the test run names.',
  },
});

const StepWait = defineEnum('StepWait', ['time', 'resume', 'run', 'rate_limit'], {
  description: 'The reason why a step waits.',
  values: {
    time: 'For the time in `wakeAt`.',
    resume: 'For an outside caller with the `resumeToken`.',
    run: 'For the run of another workflow that it started.',
    rate_limit:
      'For its turn to send a request with a credential whose rate limit others use up; `wakeAt` is about when that is.',
  },
});

const loadCredential = createRowLoader((db, rows) => db.credential.findMany(rows));

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    Step: StepRow;
  }
}

export const StepRef = builder.objectRef<StepRow>('Step');

builder.node(StepRef, {
  id: { resolve: writeStepKey },
  loadOne: (id, context) => findStep(context.deps.database, inTenant(context).tenantId, id),
  isTypeOf: (value) => isRow(value, 'runId', 'nodeId', 'resumeToken'),
  extensions: nodeAccess({ member: true }),
  description: 'One attempt at a node, from its start.',
  fields: (t) => ({
    nodeId: t.exposeString('nodeId', { description: 'The id of the node in the workflow.' }),
    path: t.exposeString('path', { description: 'The place of the node in nested loops: `each/3/map`.' }),
    attempt: t.exposeInt('attempt', { description: 'From 1.' }),
    node: t.exposeString('node', { nullable: true, description: 'The slug of the node that ran: `core:set`.' }),
    version: t.exposeString('nodeVersion', { nullable: true, description: 'The exact version of the node that ran.' }),
    status: t.expose('status', { type: StepStatusEnum }),
    branch: t.exposeString('branch', {
      nullable: true,
      description: 'The branch it took, `default` where the node chose none; null before it ended.',
    }),
    origin: t.field({
      type: StepOrigin,
      nullable: true,
      description: 'Whether the node was executed, or a test run was given its outputs; null for a skipped node.',
      resolve: ({ origin, status }) => (status === 'skipped' ? null : (origin ?? 'executed')),
    }),
    inputs: t.field({
      type: 'JSON',
      nullable: true,
      description: `What the node was given: its config with expressions evaluated and secrets redacted. Of more than 16 KiB only
\`{truncated, length, start}\`.`,
      resolve: (step, _args, context, info) => loadInputs(step, context, info),
    }),
    outputs: t.field({
      type: 'JSON',
      description: 'What the node returned, with secrets redacted, up to 4 MiB; null unless it succeeded.',
      nullable: true,
      resolve: (step, _args, context, info) => loadOutputs(step, context, info),
    }),
    error: t.field({
      type: 'JSON',
      description: 'What failed, `{message, code, ...}`; null unless it failed.',
      nullable: true,
      resolve: (step, _args, context, info) => loadError(step, context, info),
    }),
    resumeToken: t.exposeString('resumeToken', {
      nullable: true,
      description: 'What an outside caller resumes the step with; only while it waits for one.',
    }),
    waitsFor: t.field({
      type: StepWait,
      nullable: true,
      description: 'What it waits for; null unless it waits.',
      resolve: ({ waitingFor }) => (waitingFor === null ? null : (waitingFor.split(':', 1)[0] as 'time')),
    }),
    waitsForCredential: t.prismaField({
      type: 'Credential',
      nullable: true,
      description:
        'The credential whose rate limit it waits for; null if it waits for none, or if the credential was deleted.',
      resolve: async (query, { waitingFor }, _args, context, info) => {
        const [, id] = /^rate_limit:(\d{1,19})$/.exec(waitingFor ?? '') ?? [];
        return id === undefined ? null : await loadCredential(context, info, BigInt(id), { ...query });
      },
    }),
    wakeAt: t.expose('wakeAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When a waiting step goes on by itself; of a failed attempt, when the next one follows. Null where nothing follows by itself.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the attempt began.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      description: 'When it ended; null while it is under way.',
      nullable: true,
    }),
    durationMs: t.int({
      nullable: true,
      description:
        "From start to completion, in milliseconds; null while it is under way. A package's node may first have waited for the sandbox to start.",
      resolve: ({ startedAt, completedAt }) =>
        completedAt === null ? null : Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)),
    }),
  }),
});

const payloads = createFieldLoader((context, runIds: number[], _asked: undefined) =>
  readRunValues(context.deps.database, inTenant(context).tenantId, 'payload', runIds),
);
const results = createFieldLoader((context, runIds: number[], _asked: undefined) =>
  readRunValues(context.deps.database, inTenant(context).tenantId, 'result', runIds),
);
const steps = createFieldLoader((context, runIds: number[], _asked: undefined) =>
  readSteps(context.deps.database, inTenant(context).tenantId, runIds),
);

// Each of these can be megabytes, so it is read only if it is selected, and costs accordingly.
builder.objectFields(RunRef, (t) => ({
  payload: t.field({
    type: 'JSON',
    nullable: true,
    complexity: 10,
    description: 'What the trigger brought.',
    resolve: (run, _args, context, info) => payloads(context, info, run.id, undefined),
  }),
  result: t.field({
    type: 'JSON',
    description: 'What the run ended with; null before its end, and where nothing set one.',
    nullable: true,
    complexity: 10,
    resolve: (run, _args, context, info) => results(context, info, run.id, undefined),
  }),
  steps: t.field({
    type: [StepRef],
    description: `In the order they began, at most ${detailLimits.steps}.`,
    deprecationReason: 'A run may have more: page through `stepConnection`.',
    resolve: async (run, _args, context, info) => (await steps(context, info, run.id, undefined)) ?? [],
  }),
}));
