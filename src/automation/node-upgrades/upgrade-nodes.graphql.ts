import { DraftConflictError } from '#src/automation/drafts/draft-conflict.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { upgradeNodesInput } from './node-upgrades.inputs.ts';
import { type RefusedUpgrade, type UpgradedNode, upgradeNodes, upgradeRefusals } from './upgrade-nodes.service.ts';

const RefusalCode = defineEnum('NodeUpgradeRefusalCode', upgradeRefusals, {
  description: 'Why a node stays as it is.',
  values: {
    unknown_node: 'The draft has no node of this path.',
    unknown_version: 'The version is not registered, or its code did not bundle.',
    not_later: 'The node has this version or a later one.',
    migration_failed: 'The `migrate` of its package failed.',
    invalid: 'Its config would be invalid. Name the node to upgrade it all the same.',
  },
});

const RefusedRef = builder.objectRef<RefusedUpgrade>('NodeUpgradeRefusal').implement({
  description: 'A node that was not upgraded.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its id; inside a loop, the path of ids: `each/send`.' }),
    code: t.expose('code', { type: RefusalCode, description: 'Why, for programs.' }),
    message: t.exposeString('message', { description: 'Why, for people.' }),
  }),
});

const UpgradedRef = builder.objectRef<UpgradedNode>('UpgradedNode').implement({
  description: 'A node that is in a later version now, in the draft.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its id; inside a loop, the path of ids: `each/send`.' }),
    slug: t.exposeString('slug', { description: 'What it is a node of: `<namespace>:<name>`.' }),
    from: t.exposeString('from', { description: 'The version that the blob asked for: `^1.0.0`.' }),
    to: t.exposeString('to', { description: 'The version that the draft asks for: `^2.0.0`.' }),
    isMigrated: t.exposeBoolean('isMigrated', { description: 'Whether its package made the new config.' }),
    issues: t.expose('issues', {
      type: ['WorkflowIssue'],
      description: 'What the new version finds wrong with the config; none where the node was not named.',
    }),
  }),
});

builder.relayMutationField(
  'upgradeNodes',
  mutationInput(upgradeNodesInput, (t) => ({ workflowId: t.id({ required: true }) })),
  {
    description:
      'Upgrades nodes in the draft of a workflow, which is made where there is none; publishing it is another step. Nodes that cannot be upgraded are refused one by one.',
    authScopes: { admin: true },
    errors: { types: [DraftConflictError, ...errorTypes.types] },
    resolve: (_root, { input: { workflowId, ...input } }, context) =>
      upgradeNodes(context.automation, inTenant(context).actor, readId('Workflow', workflowId), input),
  },
  {
    outputFields: (t) => ({
      draft: t.field({
        type: 'WorkflowDraft',
        nullable: true,
        description: 'What was saved; null where no node was upgraded.',
        resolve: ({ saved }) => saved?.draft,
      }),
      isMerged: t.boolean({
        description: 'Whether the blob was merged with a newer revision: go on from the blob of `draft`.',
        resolve: ({ saved }) => saved?.isMerged === true,
      }),
      upgraded: t.field({
        type: [UpgradedRef],
        description: 'The nodes that were upgraded.',
        resolve: ({ upgraded }) => upgraded,
      }),
      refused: t.field({
        type: [RefusedRef],
        description: 'The nodes that were not, and why.',
        resolve: ({ refused }) => refused,
      }),
      remaining: t.int({
        description: 'Outdated nodes that were not looked at; call again, with the version of `draft`.',
        resolve: ({ remaining }) => remaining,
      }),
    }),
  },
);
