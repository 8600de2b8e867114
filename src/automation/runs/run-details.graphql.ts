import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum, LogLevelEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { isRow } from '#src/graphql/rows.ts';
import { ValidationError } from '#src/infra/errors.ts';
import {
  detailLimits,
  findStep,
  type LogLine,
  readLogLines,
  readRunValues,
  readSteps,
  type StepRow,
} from './run-details.reads.ts';
import { stepStatuses } from './run-status.rules.ts';
import { RunRef } from './runs.graphql.ts';

export const LogLineRef = builder.objectRef<LogLine>('RunLogLine').implement({
  description: 'A line that a node logged.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'Grows from line to line of a run.' }),
    path: t.exposeString('path', { description: "The step's path." }),
    attempt: t.exposeInt('attempt', { description: 'The attempt of the step that logged it, from 1.' }),
    level: t.expose('level', { type: LogLevelEnum }),
    message: t.exposeString('message', { description: 'With secrets redacted.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was logged.' }),
  }),
});

const stepKey = ({ path, attempt }: Pick<StepRow, 'path' | 'attempt'>): string => `${attempt}/${path}`;

// Read for the whole run in one query: lines are stored by run, and most runs log little.
const linesOfSteps = createFieldLoader(async (context, runIds: number[], _asked: undefined) => {
  const { deps, tenantId } = inTenant(context);
  const lines = await readLogLines(deps.database, tenantId, runIds, { limit: detailLimits.logLines });
  return new Map([...lines].map(([runId, ofRun]) => [runId, Map.groupBy(ofRun, stepKey)]));
});

const StepOrigin = defineEnum('StepOrigin', ['executed', 'pinned', 'reused'], {
  description: 'Where the outputs of a step come from.',
  values: {
    pinned: 'From the pins of the draft, or from the request that started the test run.',
    reused: 'From the run that the test run names.',
  },
});

export const StepRef = builder.objectRef<StepRow>('Step');

builder.node(StepRef, {
  id: { resolve: (step) => `${step.runId}/${stepKey(step)}` },
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
    status: t.expose('status', {
      type: defineEnum('StepStatus', stepStatuses, {
        description: 'Where an attempt at a node stands.',
        values: {
          skipped: 'No branch led to it.',
          waiting: 'For a time to come, or for an outside caller.',
        },
      }),
    }),
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
    inputs: t.expose('inputs', {
      type: 'JSON',
      nullable: true,
      description: `What the node was given: its config with expressions evaluated and secrets redacted. Of more than 16 KiB only
\`{truncated, length, start}\`.`,
    }),
    outputs: t.expose('outputs', {
      type: 'JSON',
      description: 'What the node returned, with secrets redacted; null unless it succeeded.',
      nullable: true,
    }),
    error: t.expose('error', {
      type: 'JSON',
      description: 'What failed, `{message, code, ...}`; null unless it failed.',
      nullable: true,
    }),
    logs: t.field({
      type: [LogLineRef],
      description: 'What this attempt logged, in order.',
      resolve: async (step, _args, context, info) =>
        (await linesOfSteps(context, info, step.runId, undefined))?.get(stepKey(step)) ?? [],
    }),
    resumeToken: t.exposeString('resumeToken', {
      nullable: true,
      description: 'What an outside caller resumes the step with; only while it waits for one.',
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
const logLines = createFieldLoader((context, runIds: number[], asked: { limit: number; after: number }) =>
  readLogLines(context.deps.database, inTenant(context).tenantId, runIds, asked),
);

const maxLines = 1_000;

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
    resolve: async (run, _args, context, info) => (await steps(context, info, run.id, undefined)) ?? [],
  }),
  logs: t.field({
    type: [LogLineRef],
    description: `In order, at most ${maxLines} at a time.`,
    args: {
      first: t.arg.int({ description: `0 to ${maxLines} lines.`, defaultValue: maxLines, required: true }),
      after: t.arg({ type: 'Long', description: "The last line's databaseId." }),
    },
    resolve: async (run, { first, after }, context, info) => {
      if (first < 0 || first > maxLines)
        throw new ValidationError({ first: [`Ask for 0 to ${maxLines} lines; \`after\` reaches further.`] });
      return (await logLines(context, info, run.id, { limit: first, after: after ?? 0 })) ?? [];
    },
  }),
}));
