import type { BlobCheck } from '#src/automation/blob/blob.rules.ts';
import { type IssueFix, issueCodes, type PlacedIssue, placedIssues } from '#src/automation/blob/issues.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { FieldErrorRef, toFieldErrors } from '#src/graphql/error-types.ts';
import { readId } from '#src/infra/inputs.ts';
import { previewBlob } from './bundles.service.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    WorkflowValidation: BlobCheck & { blob: unknown };
    WorkflowIssue: PlacedIssue;
  }
}

const Severity = defineEnum('WorkflowIssueSeverity', ['error', 'warning'], {
  description: 'Whether saving or building the blob would be refused.',
  values: { warning: 'Allowed, but probably a mistake.' },
});

const Code = defineEnum('WorkflowIssueCode', issueCodes, {
  description: 'What is wrong, for programs.',
  values: {
    invalid_blob: 'The blob does not follow its JSON Schema, so nothing else was checked.',
    invalid_value: 'A field does not take this value.',
    required: 'A field without which the node cannot run has no value.',
    not_built: 'The code of this version did not bundle.',
    unknown_edge_end: 'An edge comes from a node that is not there, or leads to one.',
    too_large: 'More nodes, or deeper loops, than a workflow may have.',
    undeclared_namespace: 'The workflow does not declare this use of a state namespace.',
    missing_reference: 'There is no credential or workflow of this id.',
    unreachable: 'Edges from triggers lead elsewhere, so the node never runs.',
    detached: 'No edge leads to the node or from it.',
    unknown_reference: 'An expression reads a node that is not there.',
    unknown_member:
      'An expression reads a member that is not there, so it finds nothing; `fix` has what was probably meant.',
    missing_secret: 'An expression reads a secret that is not set.',
    unknown_field: 'The node ignores this member of its config.',
  },
});

const FixOp = defineEnum('WorkflowIssueFixOperation', ['set', 'remove'], {
  description: 'How a fix changes the blob.',
  values: { set: 'The member gets a value.', remove: 'The member, or the item of a list, is left out.' },
});

const Fix = builder.objectRef<IssueFix>('WorkflowIssueFix').implement({
  description: 'A change of the blob that mends an issue.',
  fields: (t) => ({
    operation: t.expose('op', { type: FixOp, description: 'What to do with the member at `path`.' }),
    path: t.exposeString('path', { description: 'Members and indexes joined by dots: `blob.nodes.0.version`.' }),
    value: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What to set the member to; null for one that is to be removed.',
      resolve: (fix) => ('value' in fix ? fix.value : null),
    }),
  }),
});

builder.objectType('WorkflowIssue', {
  description: 'Something wrong with a blob, or probably a mistake.',
  fields: (t) => ({
    severity: t.expose('severity', {
      type: Severity,
      description: 'Whether it keeps the blob from being saved or run.',
    }),
    code: t.expose('code', { type: Code, description: 'What is wrong, for programs.' }),
    message: t.exposeString('message', { description: 'What is wrong and what to do, for people.' }),
    path: t.exposeString('path', { description: 'Where it is in the blob: `blob.nodes.0.config.url`.' }),
    node: t.exposeString('node', {
      nullable: true,
      description: 'The path of the node that it is in, `each/send` inside a loop; null for what is in no node.',
    }),
    field: t.exposeString('field', {
      nullable: true,
      description: 'Where it is in that node: `config.url`; null where it is about the whole node, or in no node.',
    }),
    line: t.int({
      nullable: true,
      description: 'The line in the text of that field, counted from 1; null where the fault is not in code.',
      resolve: ({ place }) => place?.line,
    }),
    column: t.int({
      nullable: true,
      description: 'The column in that line, counted from 1; null where the fault is not in code.',
      resolve: ({ place }) => place?.column,
    }),
    fix: t.field({
      type: Fix,
      nullable: true,
      description: 'What would mend it; null where only its author can tell.',
      resolve: ({ fix }) => fix,
    }),
  }),
});

builder.objectType('WorkflowValidation', {
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
    issues: t.field({
      type: ['WorkflowIssue'],
      description:
        'The errors, then the warnings, each with its node, code and fix; about as many as 200 places have of each.',
      resolve: ({ issues, blob }) => placedIssues(blob, issues),
    }),
  }),
});

builder.queryField('validateWorkflow', (t) =>
  t.field({
    type: 'WorkflowValidation',
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
      return { ...(await previewBlob(automation, tenantId, blob, id)), blob };
    },
  }),
);
