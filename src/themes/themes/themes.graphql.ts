import { queryFromInfo } from '@pothos/plugin-prisma';
import { hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageById } from '#src/graphql/paging/connections.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { installThemeInput, registerThemeInput, uninstallThemeInput } from './themes.inputs.ts';
import { themeConditions } from './themes.reads.ts';
import { installTheme, registerTheme, uninstallTheme } from './themes.service.ts';

const anyone = { authenticated: true, scope: 'theme:read' } as const;
const reads = { member: true, scope: 'theme:read' } as const;

const ThemePermissions = permissionsType('ThemePermissions', { install: 'installTheme' });

const ThemeRef = builder.prismaNode('Theme', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id) => ({ id: readId('Theme', id) }),
  extensions: nodeAccess(anyone),
  select: { id: true },
  description: 'A version of a theme. The registry is the same for every tenant.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    vendor: t.exposeString('vendor', { description: 'Who makes it.' }),
    name: t.exposeString('name', { description: 'Unique within the vendor.' }),
    version: t.exposeString('version', { description: 'Semver.' }),
    title: t.exposeString('title', { description: 'Its name for people.' }),
    viewerCan: t.field({ type: ThemePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

type Selected = { select?: object };

/** Of the tenant; null where the caller has none, or may not read its installations. */
const loadInstallation = createFieldLoader(async (context, themeIds: bigint[], selected: Selected) => {
  if (!context.tenant || !hasAccess(context, reads)) return new Map<bigint, never>();
  const { db, tenantId } = inTenant(context);
  const installed = await db.themeInstallation.findMany({
    select: { ...selected.select, tenantId: true, id: true, themeId: true },
    where: { tenantId, themeId: { in: themeIds } },
  });
  return new Map(installed.map((installation) => [installation.themeId, installation]));
});

const ThemeInstallationPermissions = permissionsType('ThemeInstallationPermissions', {
  uninstall: 'uninstallTheme',
});

const ThemeInstallationRef = builder.prismaNode('ThemeInstallation', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'ThemeInstallation', id) }),
  extensions: nodeAccess(reads),
  select: { id: true, tenantId: true },
  description: 'The version of a theme that the tenant has. Extensions are installed for it.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    theme: t.relation('theme', { description: 'The installed version.' }),
    viewerCan: t.field({ type: ThemeInstallationPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const FilterInput = builder.inputType('ThemeFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    vendor: t.string({ description: 'Those of this vendor.' }),
    name: t.string({ description: 'Those of this name.' }),
    search: t.string({ description: 'Those with this in their title, vendor or name, in any case.' }),
  }),
});

builder.prismaObjectField('Theme', 'installation', (t) =>
  t.field({
    type: ThemeInstallationRef,
    nullable: true,
    description: 'Where the tenant has this version; null where it has none or another one.',
    select: { id: true },
    resolve: async ({ id }, _args, context, info) =>
      (await loadInstallation(context, info, id, queryFromInfo({ context, info }))) ?? null,
  }),
);

builder.queryFields((t) => ({
  theme: t.prismaField({
    type: ThemeRef,
    description: 'A version of a theme.',
    nullable: true,
    authScopes: anyone,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) =>
      context.deps.database.global.theme.findUnique({ ...query, where: { id: readId('Theme', id) } }),
  }),
  themes: t.connection(
    {
      type: ThemeRef,
      description: 'The registered versions of themes, newest first.',
      authScopes: anyone,
      args: {
        filter: t.arg({ type: FilterInput }),
        vendor: t.arg.string({
          description: 'Those of this vendor.',
          deprecationReason: 'Use `filter.vendor`.',
        }),
        name: t.arg.string({ description: 'Those of this name.', deprecationReason: 'Use `filter.name`.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, vendor: formerVendor, name: formerName, ...page }, context, info) => {
        const { theme } = context.deps.database.global;
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Theme' });
        const where = themeConditions({
          vendor: filter?.vendor ?? formerVendor,
          name: filter?.name ?? formerName,
          search: filter?.search,
        });
        return pageById(
          page,
          ({ beyond, ...loading }) => theme.findMany({ ...selected, ...loading, where: { ...where, ...beyond } }),
          (most) => theme.count({ where, take: most }),
        );
      },
    },
    defineConnection(ThemeRef),
  ),
  themeInstallations: t.connection(
    {
      type: ThemeInstallationRef,
      description: 'The themes that the tenant has installed, newest first.',
      authScopes: reads,
      args: { offset: t.arg.int(offsetArg) },
      resolve: (_root, page, context, info) => {
        const { db, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'ThemeInstallation' });
        return pageById(
          page,
          ({ beyond, ...loading }) =>
            db.themeInstallation.findMany({ ...selected, ...loading, where: { tenantId, ...beyond } }),
          (most) => db.themeInstallation.count({ where: { tenantId }, take: most }),
        );
      },
    },
    defineConnection(ThemeInstallationRef),
  ),
}));

builder.relayMutationField(
  'registerTheme',
  mutationInput(registerThemeInput),
  {
    description: 'Adds a version of a theme to the registry, for every tenant to install.',
    authScopes: { operator: true },
    errors: errorTypes,
    resolve: async (_root, { input }, { deps, principal, tenant }) => ({
      theme: await registerTheme(deps, tenant?.actor ?? principal, input),
    }),
  },
  { outputFields: (t) => ({ theme: t.field({ type: ThemeRef, resolve: ({ theme }) => theme }) }) },
);

builder.relayMutationField(
  'installTheme',
  mutationInput(installThemeInput),
  {
    description: 'Installs a version of a theme, in place of the one that the tenant has of it.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      themeInstallation: await installTheme(context.deps, inTenant(context).actor, input),
    }),
  },
  {
    outputFields: (t) => ({
      themeInstallation: t.field({
        type: ThemeInstallationRef,
        resolve: ({ themeInstallation }) => themeInstallation,
      }),
    }),
  },
);

builder.relayMutationField(
  'uninstallTheme',
  mutationInput(uninstallThemeInput),
  {
    description: 'Uninstalls a theme. The blocks of its extensions are out of the catalogue until it is back.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      themeInstallation: await uninstallTheme(context.deps, inTenant(context).actor, input),
    }),
  },
  {
    outputFields: (t) => ({
      themeInstallation: t.field({
        type: ThemeInstallationRef,
        description: 'What was installed.',
        resolve: ({ themeInstallation }) => themeInstallation,
      }),
    }),
  },
);
