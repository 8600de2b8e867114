import { type ApiChange, apiChangeKinds } from '#src/automation/connectors/changes/api-change.ts';
import { builder } from '#src/graphql/builder.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { ApiRef, maxOperations, ownerInput, SourceRef } from './api-packages.graphql.ts';
import { createNodePackageInput } from './api-packages.inputs.ts';
import { type ApiComparison, compareApi } from './api-packages.service.ts';
import type { BrokenWorkflowPlace } from './broken-workflows.service.ts';
import { maxWorkflows } from './using-workflows.reads.ts';

const ChangeKind = defineEnum('ApiChangeKind', apiChangeKinds, {
  description: 'What changed between two descriptions of an API.',
  values: {
    operation_added: 'The API has a new operation.',
    operation_removed: 'The API does not have the operation any more.',
    operation_moved: 'The operation has another method, path or kind of body.',
    field_added: 'A request has a new field, which may be required.',
    field_removed: 'A request no longer has the field.',
    field_required: 'A request needs the field now.',
    field_narrowed: 'The field has another type or format, or takes fewer values.',
    field_changed: 'The field takes more than before.',
    field_moved: 'The parameter is sent under another name or in another place.',
    answer_added: 'The answer has a new member.',
    answer_removed: 'The answer no longer has the member.',
    answer_changed: 'The member of the answer has another type.',
    branch_added: 'The description names a new error.',
    branch_removed: 'The description does not name the error any more.',
  },
});

const ChangeRef = builder.objectRef<ApiChange>('ApiChange').implement({
  description: 'A difference between a description and the package that was made from an earlier one.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKind, description: 'What changed.' }),
    slug: t.exposeString('slug', { description: 'The node: `erp:post-orders`.' }),
    path: t.exposeString('path', {
      nullable: true,
      description: '`config.body.lines.*.sku`, `outputs.body.id` or a branch; null for the operation as a whole.',
    }),
    isBreaking: t.exposeBoolean('isBreaking', { description: 'Whether a workflow that uses the place breaks.' }),
    detail: t.exposeString('detail', { description: 'What changed, in a few words; may be empty.' }),
  }),
});

const BrokenRef = builder.objectRef<BrokenWorkflowPlace>('BrokenWorkflowPlace').implement({
  description: 'A place of a workflow that a changed API breaks.',
  fields: (t) => ({
    tenantId: t.exposeString('tenantId', { description: 'The slug of the tenant.' }),
    workflowId: t.field({
      type: 'Long',
      description: 'The id that REST uses.',
      resolve: ({ workflow }) => workflow.id,
    }),
    workflowName: t.string({ description: 'For people.', resolve: ({ workflow }) => workflow.name }),
    kind: t.expose('kind', { type: ChangeKind, description: 'The change that breaks the workflow here.' }),
    slug: t.exposeString('slug', { description: 'The node that changes: `erp:post-orders`.' }),
    node: t.exposeString('node', {
      description: 'The id of the node to look at; inside a loop, the path of ids: `each/send`.',
    }),
    path: t.exposeString('path', {
      description: '`config.body.number`; `node` for the operation as a whole, `edges` for a branch.',
    }),
    reads: t.string({
      nullable: true,
      description: 'The member of the answer that an expression reads: `outputs.body.id`.',
      resolve: ({ reads }) => reads ?? null,
    }),
  }),
});

const ComparisonRef = builder.objectRef<ApiComparison>('ApiComparison').implement({
  description: 'How a package would change if it were made again from a description, and which workflows would break.',
  fields: (t) => ({
    before: t.expose('before', { type: SourceRef, description: 'The description that the package was made from.' }),
    after: t.field({ type: ApiRef, description: 'The description that was given.', resolve: ({ api }) => api }),
    isOtherApi: t.boolean({
      description: 'Whether the package was made from the description of another API: the titles differ.',
      resolve: ({ api, before }) => api.title !== before.title,
    }),
    changeCount: t.int({ description: 'How many changes there are.', resolve: ({ changes }) => changes.length }),
    breakingCount: t.int({
      description: 'How many of them are breaking.',
      resolve: ({ changes }) => changes.filter(({ isBreaking }) => isBreaking).length,
    }),
    changes: t.field({
      type: [ChangeRef],
      description: `Breaking ones first, at most ${maxOperations}.`,
      resolve: ({ changes }) =>
        changes.toSorted((one, other) => Number(other.isBreaking) - Number(one.isBreaking)).slice(0, maxOperations),
    }),
    workflowCount: t.exposeInt('workflowCount', {
      description: `How many workflows use nodes of the package, in the tenants of the organisation that the caller may enter; at most ${maxWorkflows} a tenant are looked at.`,
    }),
    broken: t.field({
      type: [BrokenRef],
      description: `The places that break in them, at most ${maxOperations} places.`,
      resolve: ({ broken }) => broken.slice(0, maxOperations),
    }),
  }),
});

builder.relayMutationField(
  'compareApi',
  mutationInput(createNodePackageInput, ownerInput),
  {
    description:
      'Compares a description with the package that was made from an earlier one. Names what changed, and the workflows that break, at which field. Nothing is stored; `createNodePackage` makes the package again, and `upgradeNodes` upgrades workflows.',
    authScopes: { operator: true },
    errors: errorTypes,
    complexity: 250,
    resolve: async (_root, { input }, context) => {
      const viewer = context.viewer ?? {};
      return {
        comparison: await compareApi(context.automation, { tenantId: context.tenant?.id ?? null, viewer }, input),
      };
    },
  },
  { outputFields: (t) => ({ comparison: t.field({ type: ComparisonRef, resolve: ({ comparison }) => comparison }) }) },
);
