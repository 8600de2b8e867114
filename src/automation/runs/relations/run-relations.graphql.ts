import type { GraphQLResolveInfo } from 'graphql';
import { RunConnection, RunRef } from '#src/automation/runs/runs.graphql.ts';
import type { RunRow } from '#src/automation/runs/runs.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { idCursors, offsetArg, type PageArgs, pageByKey } from '#src/graphql/paging/connections.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import {
  countNamingRuns,
  findNamedRuns,
  findStarters,
  findCauses,
  listNamingRuns,
  type RunRelation,
  type RunStarter,
  starterKinds,
} from './run-relations.reads.ts';

const namedRuns = createFieldLoader((context, runIds: number[], relation: RunRelation) =>
  findNamedRuns(context.deps.database, inTenant(context).tenantId, runIds, relation),
);
const pages = createFieldLoader((context, runIds: number[], asked: { relation: RunRelation; page: KeyPage<bigint> }) =>
  listNamingRuns(context.deps.database, inTenant(context).tenantId, runIds, asked),
);
const totals = createFieldLoader((context, runIds: number[], asked: { relation: RunRelation; most: number }) =>
  countNamingRuns(context.deps.database, inTenant(context).tenantId, runIds, asked),
);

const pageOfRuns = (
  relation: RunRelation,
  { id }: RunRow,
  args: PageArgs,
  context: Context,
  info: GraphQLResolveInfo,
) =>
  pageByKey<RunRow, bigint>(
    args,
    idCursors,
    async (page) => (await pages(context, info, id, { relation, page })) ?? [],
    async (most) => (await totals(context, info, id, { relation, most })) ?? 0,
  );

const starters = createFieldLoader((context, runIds: number[], _asked: undefined) =>
  findStarters(context.deps.database, inTenant(context).tenantId, runIds),
);

const causes = createFieldLoader((context, runIds: number[], _asked: undefined) =>
  findCauses(context.deps.database, inTenant(context).tenantId, runIds),
);

const Starter = builder.objectRef<RunStarter>('RunStarter').implement({
  description: 'What started a run.',
  fields: (t) => ({
    kind: t.expose('kind', {
      description: 'Who or what it was.',
      type: defineEnum('RunStarterKind', starterKinds, {
        description: 'What can start a run.',
        values: {
          user: 'A person, by the API.',
          'api-key': 'Another system, by the API.',
          trigger: 'A webhook or an event; `Run.trigger` is its trigger.',
          schedule: 'A schedule; `Run.trigger` is its trigger.',
          run: 'A run of another workflow, which is `Run.parent`.',
        },
      }),
    }),
    name: t.exposeString('name', {
      nullable: true,
      description:
        'The name of the user (or email address, or subject), of the key, of the trigger, or of the workflow of the parent; null once that is deleted.',
    }),
  }),
});

builder.objectFields(RunRef, (t) => ({
  startedBy: t.field({
    type: Starter,
    nullable: true,
    description: 'Null for an error workflow, and where it was not recorded.',
    resolve: (run, _args, context, info) => starters(context, info, run.id, undefined),
  }),
  traceId: t.string({
    nullable: true,
    description: 'The id of the trace that it belongs to, 32 hexadecimal digits; null for a run that is not traced.',
    resolve: async (run, _args, context, info) =>
      (await causes(context, info, run.id, undefined))?.trace?.traceId ?? null,
  }),
  requestId: t.string({
    nullable: true,
    description:
      'The id that its sender gave the request which started it, in the header `X-Request-Id`; null where it gave none. `request` finds what else that caused.',
    resolve: async (run, _args, context, info) => (await causes(context, info, run.id, undefined))?.requestId ?? null,
  }),
  parent: t.field({
    type: RunRef,
    nullable: true,
    description:
      'The run that started it as a sub-workflow and waits for it; null for others, and once that run is deleted.',
    resolve: (run, _args, context, info) => namedRuns(context, info, run.id, 'parent_run_id'),
  }),
  children: t.connection(
    {
      type: RunRef,
      description: 'The runs that it started as sub-workflows, in the order they were made.',
      args: { offset: t.arg.int(offsetArg) },
      resolve: (run, page, context, info) => pageOfRuns('parent_run_id', run, page, context, info),
    },
    RunConnection,
  ),
  retryOf: t.field({
    type: RunRef,
    nullable: true,
    description: 'The run that `rerunRun` made it from; null for others, and once that run is deleted.',
    resolve: (run, _args, context, info) => namedRuns(context, info, run.id, 'rerun_of_id'),
  }),
  reruns: t.connection(
    {
      type: RunRef,
      description: 'The runs that `rerunRun` made from it, in the order they were made.',
      args: { offset: t.arg.int(offsetArg) },
      resolve: (run, page, context, info) => pageOfRuns('rerun_of_id', run, page, context, info),
    },
    RunConnection,
  ),
}));
