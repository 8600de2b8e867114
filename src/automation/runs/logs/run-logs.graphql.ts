import { StepRef } from '#src/automation/runs/run-details.graphql.ts';
import { writeStepKey } from '#src/automation/runs/run-details.reads.ts';
import { RunRef } from '#src/automation/runs/runs.graphql.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { LogLevelEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { type LogFilter, type LogLine, logLimits, readLogLines, readStepLogLines } from './run-logs.reads.ts';

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

const LogFilterInput = builder.inputType('RunLogFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    level: t.field({ type: [LogLevelEnum], description: 'Any of these; all where it is empty or left out.' }),
    search: t.string({ description: 'Part of the message, in any case; at most 191 characters.' }),
  }),
});

const linesOfSteps = createFieldLoader((context, keys: string[], filter: LogFilter) =>
  readStepLogLines(context.deps.database, inTenant(context).tenantId, keys, filter),
);

builder.objectFields(StepRef, (t) => ({
  logs: t.field({
    type: [LogLineRef],
    description: `What this attempt logged, in order: at most ${logLimits.step} lines, and ${logLimits.steps} of all steps of a list.`,
    args: { filter: t.arg({ type: LogFilterInput }) },
    resolve: async (step, { filter }, context, info) =>
      (await linesOfSteps(context, info, writeStepKey(step), filter ?? {})) ?? [],
  }),
}));

const linesOfRuns = createFieldLoader(
  (context, runIds: number[], asked: { limit: number; after: number; filter: LogFilter }) =>
    readLogLines(context.deps.database, inTenant(context).tenantId, runIds, asked),
);

const maxLines = 1_000;

builder.objectFields(RunRef, (t) => ({
  logs: t.field({
    type: [LogLineRef],
    description: `In order, at most ${maxLines} at a time.`,
    args: {
      first: t.arg.int({ description: `0 to ${maxLines} lines.`, defaultValue: maxLines, required: true }),
      after: t.arg({ type: 'Long', description: "The last line's databaseId." }),
      filter: t.arg({ type: LogFilterInput }),
    },
    resolve: async (run, { first, after, filter }, context, info) => {
      if (first < 0 || first > maxLines)
        throw new ValidationError({ first: [`Ask for 0 to ${maxLines} lines; \`after\` reaches further.`] });
      const asked = { limit: first, after: after ?? 0, filter: filter ?? {} };
      return (await linesOfRuns(context, info, run.id, asked)) ?? [];
    },
  }),
}));
