import { WorkflowRef } from '#src/automation/workflows/workflows.graphql.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { idCursors, offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { countCallers, listCallers, type WorkflowCaller } from './workflow-calls.reads.ts';

const loadWorkflow = createRowLoader((db, rows) => db.workflow.findMany(rows));

const CallerRef = builder.objectRef<WorkflowCaller>('WorkflowCaller').implement({
  description: 'A workflow that names another one, by sub-workflow nodes or as its error workflow.',
  fields: (t) => ({
    workflow: t.prismaField({
      type: WorkflowRef,
      description: 'The workflow that names it.',
      resolve: async (query, { id }, _args, context, info) =>
        (await loadWorkflow(context, info, BigInt(id), { ...query })) as never,
    }),
    nodeIds: t.exposeStringList('nodeIds', {
      description: 'The sub-workflow nodes that name it; inside a loop, the path of ids: `each/send`.',
    }),
    onError: t.exposeBoolean('onError', { description: 'Whether it is the error workflow of that workflow.' }),
  }),
});

const pages = createFieldLoader((context, ids: bigint[], page: KeyPage<bigint>) =>
  listCallers(context.deps.database, inTenant(context).tenantId, ids, page),
);
const totals = createFieldLoader((context, ids: bigint[], most: number) =>
  countCallers(context.deps.database, inTenant(context).tenantId, ids, most),
);

builder.prismaObjectFields(WorkflowRef, (t) => ({
  usedBy: t.connection(
    {
      type: CallerRef,
      description:
        'The workflows whose current revision names it by a constant id, in the order they were made. `triggers` are what else starts it.',
      args: { offset: t.arg.int(offsetArg) },
      resolve: ({ id }, page, context, info) =>
        pageByKey<WorkflowCaller, bigint>(
          page,
          idCursors,
          async (keys) => (await pages(context, info, id, keys)) ?? [],
          async (most) => (await totals(context, info, id, most)) ?? 0,
        ),
    },
    defineConnection(CallerRef),
  ),
}));
