import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { readExecuted } from './executed.reads.ts';

const executed = createFieldLoader((context, runIds: number[], _asked: undefined) =>
  readExecuted(context.deps.database, inTenant(context).tenantId, runIds),
);

// A draft goes on after it was tested: only the run knows what it executes.
builder.objectField('Run', 'blob', (t) =>
  t.field({
    type: 'JSON',
    nullable: true,
    complexity: 10,
    description:
      'The blob that it executes: of its revision, or of the draft as it was tested. A test of a part has only the nodes that lead there. Null once that is not kept any more.',
    resolve: async ({ id }, _args, context, info) => (await executed(context, info, id, undefined))?.blob ?? null,
  }),
);
builder.objectField('Run', 'pins', (t) =>
  t.field({
    type: 'JSON',
    complexity: 10,
    description:
      'Outputs that a test run took instead of executing their nodes, as `WorkflowDraft.pins`; empty for others.',
    resolve: async ({ id }, _args, context, info) => (await executed(context, info, id, undefined))?.pins ?? {},
  }),
);
