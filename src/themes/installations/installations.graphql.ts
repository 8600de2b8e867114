import { queryFromInfo } from '@pothos/plugin-prisma';
import { hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { idField } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageById } from '#src/graphql/paging/connections.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { whyHidden } from './installations.rules.ts';
import { changeInstallation, installExtension, upgradeInstallation } from './installations.service.ts';

const reads = { member: true, scope: 'theme:read' } as const;
const writes = { admin: true } as const;

const StatusEnum = defineEnum('InstallationStatus', ['installed', 'disabled', 'uninstalled'], {
  description: 'Where an installation stands.',
  values: {
    installed: 'Its blocks are in the catalogue, while its theme is in the range.',
    disabled: 'Its blocks are out of the catalogue until it is enabled.',
    uninstalled: 'For good.',
  },
});

const InstallationPermissions = permissionsType('InstallationPermissions', {
  disable: 'disableInstallation',
  enable: 'enableInstallation',
  upgrade: 'upgradeInstallation',
  uninstall: 'uninstallExtension',
});

/** The versions of themes that the tenant has, by `<vendor>/<name>`. */
const loadThemeVersion = createFieldLoader(async (context, keys: string[]) => {
  const { db, tenantId } = inTenant(context);
  const installed = await db.themeInstallation.findMany({
    where: { tenantId, key: { in: keys } },
    select: { key: true, theme: { select: { version: true } } },
  });
  return new Map(installed.map(({ key, theme }) => [key, theme.version]));
});

const InstallationRef = builder.prismaNode('Installation', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Installation', id) }),
  extensions: nodeAccess(reads),
  select: { id: true, tenantId: true },
  description: 'A version of an extension that the tenant has pinned.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    extension: t.relation('extension', { description: 'The pinned version.' }),
    status: t.expose('status', { type: StatusEnum, description: 'Whether its blocks are in the catalogue.' }),
    whyHidden: t.string({
      nullable: true,
      description:
        'Why its blocks are not in the catalogue: it is disabled, its version is blocked, or its theme is not installed in range. Null while they are.',
      select: { status: true, extension: true },
      resolve: async ({ status, extension }, _args, context, info) =>
        whyHidden(status, extension, (await loadThemeVersion(context, info, extension.targetTheme, undefined)) ?? null),
    }),
    viewerCan: t.field({ type: InstallationPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** The tenant's present installations, by `<vendor>/<name>`; nothing where the caller has no tenant, or may not read them. */
const loadPresent = createFieldLoader(async (context, handles: string[], selected: { select?: object }) => {
  if (!context.tenant || !hasAccess(context, reads)) return new Map<string, never>();
  const { db, tenantId } = inTenant(context);
  const names = handles.map((handle) => handle.split('/'));
  const present = await db.installation.findMany({
    select: { ...selected.select, tenantId: true, id: true, vendor: true, name: true },
    where: {
      tenantId,
      status: { not: 'uninstalled' },
      OR: names.map(([vendor = '', name = '']) => ({ vendor, name })),
    },
  });
  return new Map(present.map((installation) => [`${installation.vendor}/${installation.name}`, installation]));
});

builder.prismaObjectField('Extension', 'installation', (t) =>
  t.field({
    type: InstallationRef,
    nullable: true,
    description: 'Where the tenant has this extension, in whatever version; null where it has none.',
    select: { vendor: true, name: true },
    resolve: async ({ vendor, name }, _args, context, info) =>
      (await loadPresent(context, info, `${vendor}/${name}`, queryFromInfo({ context, info }))) ?? null,
  }),
);

const FilterInput = builder.inputType('InstallationFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    status: t.field({ type: [StatusEnum], description: 'Those in one of these statuses.' }),
    vendor: t.string({ description: 'Those of extensions of this vendor.' }),
    name: t.string({ description: 'Those of extensions of this name.' }),
  }),
});

builder.queryFields((t) => ({
  installation: t.prismaField({
    type: InstallationRef,
    description: 'An installation of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('Installation', id) };
      return db.installation.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  installations: t.connection(
    {
      type: InstallationRef,
      description: 'The installations of the tenant, newest first, with those that it uninstalled.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: FilterInput }),
        status: t.arg({
          type: [StatusEnum],
          description: 'Those in one of these statuses.',
          deprecationReason: 'Use `filter.status`.',
        }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, status: former, ...page }, context, info) => {
        const { db, tenantId } = inTenant(context);
        const status = filter?.status ?? former;
        const given = Object.fromEntries(
          Object.entries({ vendor: filter?.vendor, name: filter?.name }).filter(([, value]) => value != null),
        );
        const where = { tenantId, ...given, ...(status != null && { status: { in: status } }) };
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Installation' });
        return pageById(
          page,
          ({ beyond, ...loading }) =>
            db.installation.findMany({ ...selected, ...loading, where: { ...where, ...beyond } }),
          (most) => db.installation.count({ where, take: most }),
        );
      },
    },
    defineConnection(InstallationRef),
  ),
}));

builder.relayMutationField(
  'installExtension',
  { inputFields: (t) => ({ extensionId: t.id({ description: 'The version to pin.', required: true }) }) },
  {
    description: 'Pins a version of an extension. Its theme must be installed, in a version that it is built for.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      installation: await installExtension(
        context.deps,
        inTenant(context).actor,
        readId('Extension', input.extensionId),
      ),
    }),
  },
  {
    outputFields: (t) => ({
      installation: t.field({ type: InstallationRef, resolve: ({ installation }) => installation }),
    }),
  },
);

builder.relayMutationField(
  'upgradeInstallation',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      extensionId: t.id({ description: 'Another version of the same extension, newer or older.', required: true }),
    }),
  },
  {
    description: 'Pins another version; a disabled installation stays disabled.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      installation: await upgradeInstallation(
        context.deps,
        inTenant(context).actor,
        readId('Installation', input.id),
        readId('Extension', input.extensionId),
      ),
    }),
  },
  {
    outputFields: (t) => ({
      installation: t.field({ type: InstallationRef, resolve: ({ installation }) => installation }),
    }),
  },
);

const switches = [
  {
    action: 'disable',
    description: 'Takes the blocks of an extension out of the catalogue. Its assets are still served.',
  },
  { action: 'enable', description: 'Puts the blocks of a disabled installation back into the catalogue.' },
] as const;

for (const { action, description } of switches) {
  builder.relayMutationField(
    `${action}Installation`,
    { inputFields: idField },
    {
      description,
      authScopes: writes,
      errors: errorTypes,
      resolve: async (_root, { input }, context) => {
        const id = readId('Installation', input.id);
        return { installation: await changeInstallation(context.deps, inTenant(context).actor, id, action) };
      },
    },
    {
      outputFields: (t) => ({
        installation: t.field({ type: InstallationRef, resolve: ({ installation }) => installation }),
      }),
    },
  );
}

builder.relayMutationField(
  'uninstallExtension',
  { inputFields: (t) => ({ installationId: t.id({ description: 'What ends.', required: true }) }) },
  {
    description: 'Ends an installation for good. Installing the extension again makes another one.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      installation: await changeInstallation(
        context.deps,
        inTenant(context).actor,
        readId('Installation', input.installationId),
        'uninstall',
      ),
    }),
  },
  {
    outputFields: (t) => ({
      installation: t.field({ type: InstallationRef, resolve: ({ installation }) => installation }),
    }),
  },
);
