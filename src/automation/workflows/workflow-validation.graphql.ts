import type { BlobCheck } from '#src/automation/blob/blob.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { FieldErrorRef, toFieldErrors } from '#src/graphql/error-types.ts';
import { readId } from '#src/infra/inputs.ts';
import { previewBlob } from './bundles.service.ts';

const WorkflowValidation = builder.objectRef<BlobCheck>('WorkflowValidation').implement({
  description: 'What saving and building a blob would say of it.',
  fields: (t) => ({
    valid: t.boolean({
      description: 'Whether nothing would be refused.',
      resolve: ({ errors }) => Object.keys(errors).length === 0,
    }),
    errors: t.field({
      type: [FieldErrorRef],
      description: 'What would be refused, by path: `blob.nodes.0.version`.',
      resolve: ({ errors }) => toFieldErrors(errors),
    }),
    warnings: t.field({
      type: [FieldErrorRef],
      description: 'What is allowed but probably a mistake, by path.',
      resolve: ({ warnings }) => toFieldErrors(warnings),
    }),
  }),
});

builder.queryField('validateWorkflow', (t) =>
  t.field({
    type: WorkflowValidation,
    nullable: true,
    authScopes: { member: true },
    // Costs as much as saving the workflow, which is a mutation.
    complexity: 250,
    description:
      'Checks a blob as saving and building it would, without doing either; null for a workflow that is not there.',
    args: {
      blob: t.arg({ type: 'JSON', required: true, description: 'The whole blob, as in `Workflow.blob`.' }),
      workflowId: t.arg.id({ description: 'The workflow that the blob is for, if there is one already.' }),
    },
    async resolve(_root, { blob, workflowId }, context) {
      const { automation, db, tenantId } = inTenant(context);
      const id = workflowId == null ? undefined : readId('Workflow', workflowId);
      const where = { tenantId, id, deletedAt: null };
      if (id !== undefined && !(await db.workflow.findFirst({ where, select: { id: true } }))) return null;
      return previewBlob(automation, tenantId, blob, id);
    },
  }),
);
