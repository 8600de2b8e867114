import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import type { CredentialType } from '#prisma/client.ts';
import type { CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { readOutcome, testOutcomes } from './credential-test-outcome.rules.ts';
import { readCredentialType } from './credential-types.service.ts';
import { type CredentialUse, credentialUses } from './credential-uses.service.ts';
import { createCredentialInput, updateCredentialInput } from './credentials.inputs.ts';
import { credentialList } from './credentials.reads.ts';
import {
  createCredential,
  credentialManifests,
  credentialsPerTenant,
  deleteCredential,
  needsUser,
  secretFields,
  updateCredential,
} from './credentials.service.ts';

const Status = defineEnum('CredentialStatus', ['active', 'pending', 'expired', 'revoked'], {
  description: 'Where a 3-legged authorisation stands. It does not say whether the credential works: a test does.',
});

export const CredentialTestOutcomeRef = defineEnum('CredentialTestOutcome', testOutcomes, {
  description: 'How a connection test ended. `NOT_TESTED`: the type or the config gives nothing that could be called.',
});

const loadWorkflow = createRowLoader((db, rows) => db.workflow.findMany(rows));

const UseRef = builder.objectRef<CredentialUse>('CredentialUse').implement({
  description: 'A node that names a credential in its config.',
  fields: (t) => ({
    workflowId: t.field({
      type: 'Long',
      description: 'The `databaseId` of the workflow.',
      resolve: ({ workflowId }) => workflowId,
    }),
    workflowName: t.exposeString('workflowName', { description: 'The name of the workflow.' }),
    workflow: t.prismaField({
      type: 'Workflow',
      resolve: async (query, { workflowId }, _args, context, info) =>
        (await loadWorkflow(context, info, workflowId, { ...query })) as never,
    }),
    nodeId: t.exposeString('nodeId', { description: 'Inside a loop, the path of ids: `each/send`.' }),
    field: t.exposeString('field', { description: 'Key of the config field that names it.' }),
  }),
});

const loadUses = createFieldLoader<bigint, CredentialUse[]>((context, ids) => {
  const { db, tenantId } = inTenant(context);
  return credentialUses(db, tenantId, ids);
});
const loadSecretFields = createFieldLoader<string, ReadonlySet<string>>(({ deps }, slugs) => secretFields(deps, slugs));

const loadManifests = createFieldLoader<string, CredentialTypeManifest>(({ deps }, slugs) =>
  credentialManifests(deps, slugs),
);

const loadTypes = createFieldLoader<string, CredentialType, object>(async ({ deps }, slugs, asked) => {
  const newest = await Promise.all(slugs.map((slug) => readCredentialType(deps, slug, asked)));
  return new Map(newest.flatMap((type, index) => (type ? [[slugs[index] as string, type]] : [])));
});

const CredentialPermissions = permissionsType('CredentialPermissions', {
  update: 'updateCredential',
  delete: 'deleteCredential',
  test: 'testCredential',
  authorize: 'createAuthorizeUrl',
});

export const CredentialRef = builder.prismaNode('Credential', {
  description: 'An instance of a credential type. Its secrets are sealed, and leave only through a node that names it.',
  id: { resolve: (credential) => String(credential.id) },
  findUnique: (id, context) => ({
    tenantId_id: tenantKey(context, 'Credential', id),
  }),
  authScopes: { member: true },
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    tenantId: t.exposeString('tenantId', { description: 'The slug of its tenant.' }),
    credentialTypeSlug: t.exposeString('credentialTypeSlug', {
      description: 'The type it is of: `<namespace>:<name>`.',
    }),
    type: t.prismaField({
      type: 'CredentialType',
      nullable: true,
      description: 'Its type, in the latest registered version; null where no package brings it any more.',
      select: { credentialTypeSlug: true },
      resolve: async (query, { credentialTypeSlug: slug }, _args, context, info) =>
        (await loadTypes(context, info, slug, { ...query })) ?? null,
    }),
    name: t.exposeString('name', { description: 'Unique in the tenant.' }),
    status: t.field({ type: Status, select: { status: true }, resolve: ({ status }) => status as 'active' }),
    publicConfig: t.field({
      type: 'JSON',
      description: 'What the fields that are not secret hold.',
      select: { publicConfig: true, credentialTypeSlug: true },
      // Hides a field that a newer version of the type declares secret.
      resolve: async ({ publicConfig, credentialTypeSlug: slug }, _args, context, info) => {
        const secret = (await loadSecretFields(context, info, slug, undefined)) ?? new Set();
        return Object.fromEntries(Object.entries(publicConfig as object).filter(([key]) => !secret.has(key)));
      },
    }),
    isAuthorizedByUser: t.boolean({
      description: 'True if a user must grant it access at the provider, with `createAuthorizeUrl`.',
      select: { publicConfig: true, credentialTypeSlug: true },
      resolve: async ({ publicConfig, credentialTypeSlug: slug }, _args, context, info) => {
        const manifest = await loadManifests(context, info, slug, undefined);
        return manifest !== undefined && needsUser(manifest, publicConfig as object);
      },
    }),
    usedBy: t.field({
      type: [UseRef],
      description: 'The nodes of workflows that name it.',
      complexity: 10,
      resolve: async ({ id }, _args, context, info) => (await loadUses(context, info, id, undefined)) ?? [],
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stops working unless somebody acts, where that is known.',
    }),
    lastTestAt: t.expose('lastTestAt', {
      type: 'DateTime',
      description: 'When it was last tested; null before the first test.',
      nullable: true,
    }),
    lastTestOk: t.boolean({
      nullable: true,
      select: { lastTestAt: true, lastTestOk: true },
      description:
        'True if the last test succeeded; null before the first. `lastTestOutcome` tells a failure from a test of nothing.',
      resolve: (credential) => credential.lastTestAt && credential.lastTestOk === true,
    }),
    lastTestOutcome: t.field({
      type: CredentialTestOutcomeRef,
      nullable: true,
      select: { lastTestAt: true, lastTestOk: true },
      description: 'How the last test ended; null before the first.',
      resolve: readOutcome,
    }),
    lastTestMessage: t.exposeString('lastTestMessage', {
      nullable: true,
      description: 'What the last test said, at most 500 characters, without secrets; null before the first.',
    }),
    viewerCan: t.field({ type: CredentialPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const CredentialFilterInput = builder.inputType('CredentialFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({
      description: 'Part of the name or of the slug of its type, in any case; at most 191 characters.',
    }),
    type: t.string({ description: 'Slug of a credential type.' }),
    status: t.field({ type: [Status], description: 'Any of these; all where it is empty or left out.' }),
  }),
});

const CredentialOrderInput = orderInput('Credential', {
  of: 'credentials',
  fields: {
    NAME: {},
    CREATED_AT: {},
    UPDATED_AT: {},
    EXPIRES_AT: { description: 'Those that are not known to expire come last, whichever way.' },
  },
});

builder.queryFields((t) => ({
  credential: t.prismaField({
    type: CredentialRef,
    description: 'A credential of the tenant, without its secrets.',
    nullable: true,
    authScopes: { member: true },
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      return db.credential.findFirst({ ...query, where: { tenantId, id: readId('Credential', id) } });
    },
  }),
  credentials: t.connection(
    {
      type: CredentialRef,
      description: `The credentials of the tenant, which has at most ${credentialsPerTenant}.`,
      authScopes: { member: true },
      args: {
        filter: t.arg({ type: CredentialFilterInput }),
        orderBy: t.arg({ type: CredentialOrderInput, description: 'Left out: by name.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Credential' });
        return pageInOrder(credentialList, page, {
          filter: { ...filter, tenantId },
          order: orderBy ?? { field: 'NAME', direction: 'ASC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.credential.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(CredentialRef),
  ),
}));

builder.relayMutationField(
  'createCredential',
  mutationInput(createCredentialInput),
  {
    description: 'Stores a credential. Its secrets are encrypted and never answered.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      credential: await createCredential(context.deps, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ credential: t.field({ type: CredentialRef, resolve: ({ credential }) => credential }) }) },
);

builder.relayMutationField(
  'updateCredential',
  mutationInput(updateCredentialInput, idField),
  {
    description: 'Changes what is given and leaves the rest.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      credential: await updateCredential(context.deps, inTenant(context).actor, readId('Credential', id), changes),
    }),
  },
  { outputFields: (t) => ({ credential: t.field({ type: CredentialRef, resolve: ({ credential }) => credential }) }) },
);

builder.relayMutationField(
  'deleteCredential',
  { inputFields: idField },
  {
    description: 'Deletes a credential with its secrets, also where nodes name it still.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { deps, actor } = inTenant(context);
      const id = readId('Credential', input.id);
      const usedBy = await deleteCredential(deps, actor, id);
      return { deletedId: encodeGlobalID('Credential', id), usedBy };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted credential.' }),
      usedBy: t.field({
        type: [UseRef],
        description: 'Nodes that name it still: they fail until they name another.',
        resolve: ({ usedBy }) => usedBy,
      }),
    }),
  },
);
