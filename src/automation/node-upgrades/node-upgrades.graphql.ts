import type { ConfigField, Port } from '#src/automation/node-api/manifest.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { readId } from '#src/infra/inputs.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { type CredentialsDiff, type ManifestDiff, maxChanges, type MembersDiff } from './manifest-diff.rules.ts';
import { listNodeUpgrades, type NodeUpgrade } from './node-upgrades.service.ts';
import { maxIssues } from './upgrade-check.rules.ts';
import { type UpgradeMigration, upgradeStates } from './upgrade-preview.service.ts';

const State = defineEnum('NodeUpgradeState', upgradeStates, {
  description: 'What becomes of a node in its newest version.',
  values: {
    ready: 'Its config is valid there, once it was migrated if the package can do so.',
    invalid: 'Its config needs a change: the last `issues` name each fault.',
    migration_failed: 'The `migrate` of its package failed.',
    unavailable: 'Neither the version that the blob asks for nor a later one is registered.',
  },
});

const changed: { type: ['WorkflowChange']; description: string } = {
  type: ['WorkflowChange'],
  description: `What differs in those that both have, from the older to the newer: \`url.pattern\`; at most ${maxChanges}.`,
};

const FieldsDiff = builder.objectRef<MembersDiff<ConfigField>>('NodeFieldsDiff').implement({
  description: 'Fields of a config form that differ.',
  fields: (t) => ({
    added: t.expose('added', { type: ['NodeConfigField'], description: 'In the newer version alone.' }),
    removed: t.expose('removed', { type: ['NodeConfigField'], description: 'In the older version alone.' }),
    changed: t.expose('changed', changed),
  }),
});

const PortsDiff = builder.objectRef<MembersDiff<Port>>('NodePortsDiff').implement({
  description: 'Inputs or outputs that differ.',
  fields: (t) => ({
    added: t.expose('added', { type: ['NodePort'], description: 'In the newer version alone.' }),
    removed: t.expose('removed', { type: ['NodePort'], description: 'In the older version alone.' }),
    changed: t.expose('changed', changed),
  }),
});

const BranchesDiff = builder.objectRef<ManifestDiff['branches']>('NodeBranchesDiff').implement({
  description: 'Branches that differ.',
  fields: (t) => ({
    added: t.exposeStringList('added', { description: 'In the newer version alone.' }),
    removed: t.exposeStringList('removed', { description: 'In the older version alone.' }),
  }),
});

const CredentialsDiffRef = builder.objectRef<CredentialsDiff>('NodeCredentialsDiff').implement({
  description: 'A field that takes other credential types than before.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Its key.' }),
    added: t.exposeStringList('added', { description: 'Slugs of the types that only the newer version takes.' }),
    removed: t.exposeStringList('removed', { description: 'Slugs of the types that only the older version takes.' }),
  }),
});

const ManifestDiffRef = builder.objectRef<ManifestDiff>('NodeManifestDiff').implement({
  description: 'What differs between the manifests of two versions of a node.',
  fields: (t) => ({
    fields: t.expose('fields', { type: FieldsDiff, description: 'Of the config.' }),
    required: t.exposeStringList('required', {
      description: 'Keys of the fields that need a value in the newer version, and did not before.',
    }),
    credentials: t.expose('credentials', {
      type: [CredentialsDiffRef],
      description: 'Fields that take other credential types than before.',
    }),
    inputs: t.expose('inputs', { type: PortsDiff, description: 'What the node takes.' }),
    outputs: t.expose('outputs', { type: PortsDiff, description: 'What the node leaves for later nodes.' }),
    branches: t.expose('branches', { type: BranchesDiff, description: 'What its config names is not compared.' }),
  }),
});

const MigrationRef = builder.objectRef<UpgradeMigration>('NodeMigration').implement({
  description: 'What the `migrate` of a package makes of a config, in the sandbox; nothing is saved.',
  fields: (t) => ({
    config: t.expose('config', {
      type: 'JSON',
      nullable: true,
      complexity: 10,
      description: 'With its expressions; null where it failed.',
    }),
    changes: t.expose('changes', {
      type: ['WorkflowChange'],
      description: `From the config as it is to the migrated one, at most ${maxChanges}.`,
    }),
    issues: t.expose('issues', {
      type: ['WorkflowIssue'],
      description: `What the newest version finds wrong with the migrated config, at most ${maxIssues}.`,
    }),
    error: t.expose('error', {
      type: 'NodeFailure',
      nullable: true,
      description: 'Why it failed; null where it did not.',
    }),
  }),
});

const NodeUpgradeRef = builder.objectRef<NodeUpgrade>('NodeUpgrade').implement({
  description: 'A node of a workflow that is not in its newest version.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its id; inside a loop, the path of ids: `each/send`.' }),
    slug: t.string({ description: 'What it is a node of: `<namespace>:<name>`.', resolve: ({ node }) => node.node }),
    version: t.string({
      description: 'As the blob asks for it: an exact version, a range or `latest`.',
      resolve: ({ node }) => node.version,
    }),
    current: t.exposeString('current', {
      nullable: true,
      description: 'The version that a build would take now; null where none is registered that the blob asks for.',
    }),
    newest: t.exposeString('newest', {
      nullable: true,
      description:
        'The highest version that can run; null where it is not a later one. A prerelease only for a node that has one.',
    }),
    state: t.field({
      type: State,
      description: 'What becomes of it there.',
      resolve: async (upgrade) => (await upgrade.preview()).state,
    }),
    issues: t.field({
      type: ['WorkflowIssue'],
      description: `What the newest version finds wrong with the node as it is, at most ${maxIssues}.`,
      resolve: async (upgrade) => (await upgrade.preview()).issues,
    }),
    migration: t.field({
      type: MigrationRef,
      nullable: true,
      description: 'What its package makes of the config; null where the newest version exports no `migrate`.',
      resolve: async (upgrade) => (await upgrade.preview()).migration,
    }),
    diff: t.field({
      type: ManifestDiffRef,
      nullable: true,
      description: 'What differs between `current` and `newest`; null where either is.',
      resolve: (upgrade) => upgrade.diff(),
    }),
  }),
});

const NodeUpgradeConnection = defineConnection(NodeUpgradeRef);

const cursors = {
  write: ({ position }: NodeUpgrade) => `at:${position}`,
  read(text: string): number | undefined {
    const digits = /^at:(\d{1,6})$/.exec(text)?.[1];
    return digits === undefined ? undefined : Number(digits);
  },
};

/** A page of a list that was read as a whole. */
function takePage(upgrades: readonly NodeUpgrade[], { take, skip, backwards, after, before }: KeyPage<number>) {
  const between = upgrades.slice((after ?? -1) + 1, before ?? upgrades.length);
  return (backwards ? between.toReversed() : between).slice(skip, skip + take);
}

builder.queryField('nodeUpgrades', (t) =>
  t.connection(
    {
      type: NodeUpgradeRef,
      nullable: true,
      authScopes: { member: true },
      // As much as `validateWorkflow`.
      complexity: 250,
      description:
        'The nodes of a workflow that are not in their newest version, in the order of its draft, without one of its blob; null for a workflow that is not there.',
      args: { workflowId: t.arg.id({ required: true }), offset: t.arg.int(offsetArg) },
      async resolve(_root, { workflowId, ...page }, context) {
        const { automation, tenantId } = inTenant(context);
        const upgrades = await listNodeUpgrades(automation, tenantId, readId('Workflow', workflowId));
        if (!upgrades) return null;
        return pageByKey(
          page,
          cursors,
          async (keys) => takePage(upgrades, keys),
          async (most) => Math.min(upgrades.length, most),
        );
      },
    },
    NodeUpgradeConnection,
  ),
);
