import { queryFromInfo } from '@pothos/plugin-prisma';
import type { Extension, ExtensionAsset } from '#prisma/client.ts';
import { hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageById } from '#src/graphql/paging/connections.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { extensionSecrets } from '#src/themes/islands/request-signing.rules.ts';
import { registerExtensionInput, rejectExtensionInput, withdrawExtensionInput } from './extensions.inputs.ts';
import { extensionConditions, listVersionIds, maxVersions, versionsSeenBy } from './extensions.reads.ts';
import { publishExtension, rejectExtension, withdrawExtension } from './publication.service.ts';
import { registerExtension } from './registration.service.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    Extension: Extension;
  }
}

const reads = { member: true, scope: 'theme:read' } as const;
const readsOrReviews = { operator: true, ...reads } as const;

const TypeEnum = defineEnum('ExtensionType', ['public', 'private'], {
  description: 'Who may install an extension.',
  values: {
    public: 'Every tenant that has the target theme, once an operator has published the version.',
    private: 'The tenant that registered it.',
  },
});
const StatusEnum = defineEnum('ExtensionStatus', ['draft', 'published', 'rejected', 'withdrawn'], {
  description: 'Where a version of an extension stands. Private ones stay drafts.',
  values: {
    draft: 'Registered; seen by its owner and by operators.',
    published: 'In the marketplace.',
    rejected: 'For good: an operator did not publish it, for the reason given.',
    withdrawn: 'For good: nobody installs it again.',
  },
});

const ExtensionPermissions = permissionsType('ExtensionPermissions', {
  install: 'installExtension',
  publish: 'publishExtension',
  reject: 'rejectExtension',
  withdraw: 'withdrawExtension',
});

const AssetRef = builder.objectRef<ExtensionAsset>('ExtensionAsset').implement({
  description: 'A file of a version, as it was registered.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'As the manifest declares it.' }),
    contentType: t.exposeString('contentType', { description: 'The type that it is served with.' }),
    size: t.exposeInt('size', { description: 'In bytes.' }),
    integrity: t.exposeString('integrity', { description: 'Its SHA-384 subresource integrity.' }),
    elements: t.exposeStringList('elements', {
      description: 'The custom elements that a module defines by a literal name.',
    }),
  }),
});

/** Not a relation: operators read versions that the tenant of their request does not see. */
const loadAssets = createFieldLoader(async (context, ids: bigint[]) => {
  const assets = await visibleVersions(context).extensionAsset.findMany({
    where: { extensionId: { in: ids } },
    orderBy: { path: 'asc' },
  });
  return Map.groupBy(assets, ({ extensionId }) => extensionId);
});

const ExtensionRef = builder.prismaNode('Extension', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id) => ({ id: readId('Extension', id) }),
  extensions: nodeAccess(reads),
  select: { id: true },
  description: 'One registered version of a theme extension; only its status ever changes.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    vendor: t.exposeString('vendor', { description: 'Who makes it; its custom elements are named `<vendor>-*`.' }),
    name: t.exposeString('name', { description: 'Unique within the vendor.' }),
    version: t.exposeString('version', { description: 'Semver.' }),
    title: t.exposeString('title', { description: 'Its name for people.' }),
    type: t.expose('type', { type: TypeEnum, description: 'Who may install it.' }),
    status: t.expose('status', { type: StatusEnum, description: 'Whether it may be installed.' }),
    url: t.exposeString('url', { description: 'The site that renders its blocks.' }),
    manifest: t.expose('manifest', {
      type: 'JSON',
      description: 'As `theme-extensions/v1` has it, without `integrity`.',
    }),
    integrity: t.expose('integrity', {
      type: 'JSON',
      description: 'The SHA-384 subresource integrity of its assets, by path. What is served is held against it.',
    }),
    assets: t.field({
      type: [AssetRef],
      description: 'The files that it declares, by path.',
      select: { id: true },
      resolve: async ({ id }, _args, context, info) => (await loadAssets(context, info, id, undefined)) ?? [],
    }),
    blocked: t.exposeBoolean('blocked', {
      description: 'Whether it was withdrawn in such a way that it stopped where it is installed.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it was rejected or withdrawn; null where nobody said.',
    }),
    viewerCan: t.field({ type: ExtensionPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    requestSecret: t.string({
      nullable: true,
      description:
        'What the extension verifies our requests with, as Standard Webhooks has it: the same for all its versions. Null but to its owner.',
      authScopes: { admin: true },
      select: { tenantId: true, vendor: true, name: true },
      resolve: (extension, _args, context) => {
        const { themes, tenantId } = inTenant(context);
        return extension.tenantId === tenantId ? extensionSecrets(themes)(extension) : null;
      },
    }),
  }),
});

const ExtensionFilterInput = builder.inputType('ExtensionFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    vendor: t.string({ description: 'Those of this vendor.' }),
    name: t.string({ description: 'Those of this name.' }),
    type: t.field({ type: TypeEnum, description: 'Public or private ones.' }),
    status: t.field({ type: StatusEnum, description: 'Those in this status.' }),
    theme: t.string({ description: 'Those for this theme: `<vendor>/<name>`.' }),
    search: t.string({ description: 'Those with this in their title, vendor or name, in any case.' }),
  }),
});

/** The tenant whose versions the caller may see; null for operators, who see those of every tenant. */
const seenBy = (context: Context): string | null =>
  hasAccess(context, { operator: true }) ? null : inTenant(context).tenantId;

const visibleVersions = (context: Context) => versionsSeenBy(context.deps, seenBy(context));

const ExtensionConnection = defineConnection(ExtensionRef);

const loadVersions = createFieldLoader(async (context, handles: string[], { select }: { select?: object }) => {
  const ids = await listVersionIds(context.deps, seenBy(context), handles);
  const versions = await visibleVersions(context).extension.findMany({
    select: { ...select, vendor: true, name: true },
    where: { id: { in: ids } },
    orderBy: { id: 'desc' },
  });
  return Map.groupBy(versions as unknown as Extension[], ({ vendor, name }) => `${vendor}/${name}`);
});

builder.prismaObjectField('Extension', 'versions', (t) =>
  t.field({
    type: [ExtensionRef],
    description: `The newest ${maxVersions} versions of the same extension that the caller may see, newest first, with this one.`,
    select: { vendor: true, name: true },
    resolve: async ({ vendor, name }, _args, context, info) =>
      (await loadVersions(context, info, `${vendor}/${name}`, queryFromInfo({ context, info }))) ?? [],
  }),
);

builder.queryFields((t) => ({
  extension: t.prismaField({
    type: ExtensionRef,
    description: 'A version of an extension; null where the caller may not see it.',
    nullable: true,
    authScopes: readsOrReviews,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) =>
      visibleVersions(context).extension.findUnique({ ...query, where: { id: readId('Extension', id) } }),
  }),
  extensions: t.connection(
    {
      type: ExtensionRef,
      description: 'The versions of extensions that the caller may see, newest first: its own and published ones.',
      authScopes: reads,
      args: { filter: t.arg({ type: ExtensionFilterInput }), offset: t.arg.int(offsetArg) },
      // Row-level security limits the tenant to its own extensions and published ones.
      resolve: (_root, { filter, ...page }, context, info) => {
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Extension' });
        const { extension } = inTenant(context).db;
        const where = extensionConditions(filter);
        return pageById(
          page,
          ({ beyond, ...loading }) => extension.findMany({ ...selected, ...loading, where: { ...where, ...beyond } }),
          (most) => extension.count({ where, take: most }),
        );
      },
    },
    ExtensionConnection,
  ),
  allExtensions: t.connection(
    {
      type: ExtensionRef,
      description: 'The versions of extensions of all tenants, newest first, drafts included.',
      authScopes: { operator: true },
      args: { filter: t.arg({ type: ExtensionFilterInput }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { filter, ...page }, context, info) => {
        const { extension } = context.deps.database.global;
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Extension' });
        const where = extensionConditions(filter);
        return pageById(
          page,
          ({ beyond, ...loading }) => extension.findMany({ ...selected, ...loading, where: { ...where, ...beyond } }),
          (most) => extension.count({ where, take: most }),
        );
      },
    },
    ExtensionConnection,
  ),
}));

builder.relayMutationField(
  'registerExtension',
  mutationInput(registerExtensionInput),
  {
    description:
      'Registers the version that runs at an address: its manifest, and its assets with their hashes. The tenant that registers a name first owns it.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      extension: await registerExtension(context.themes, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ extension: t.field({ type: ExtensionRef, resolve: ({ extension }) => extension }) }) },
);

/** Read here, because the tenant that an operator's request may name does not see every version. */
const reviewedOutput = {
  outputFields: (t: PothosSchemaTypes.ObjectFieldBuilder<(typeof builder)['$inferSchemaTypes'], { id: bigint }>) => ({
    extension: t.prismaField({
      type: ExtensionRef,
      resolve: (query, { id }, _args, { deps }) =>
        deps.database.global.extension.findUniqueOrThrow({ ...query, where: { id } }),
    }),
  }),
};

builder.relayMutationField(
  'publishExtension',
  { inputFields: idField },
  {
    description: 'Lets every tenant that has the target theme install a public version.',
    authScopes: { operator: true },
    errors: errorTypes,
    resolve: async (_root, { input }, { deps, principal }) => {
      const id = readId('Extension', input.id);
      await publishExtension(deps, principal, id);
      return { id };
    },
  },
  reviewedOutput,
);

builder.relayMutationField(
  'rejectExtension',
  mutationInput(rejectExtensionInput, idField),
  {
    description:
      'Refuses to publish a public draft, for good. Its owner reads the reason, and registers another version.',
    authScopes: { operator: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id: given, ...input } }, { deps, principal }) => {
      const id = readId('Extension', given);
      await rejectExtension(deps, principal, id, input);
      return { id };
    },
  },
  reviewedOutput,
);

builder.relayMutationField(
  'withdrawExtension',
  mutationInput(withdrawExtensionInput, idField),
  {
    description: 'Withdraws a published version for good. One that goes on may be blocked later.',
    authScopes: { operator: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id: given, ...input } }, { deps, principal }) => {
      const id = readId('Extension', given);
      await withdrawExtension(deps, principal, id, input);
      return { id };
    },
  },
  reviewedOutput,
);
