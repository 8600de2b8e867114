import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes, FieldErrorRef, toFieldErrors } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { listProblems } from '#src/graphql/list-arguments.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageById } from '#src/graphql/paging/connections.ts';
import { permissionsType } from '#src/graphql/viewer-can.ts';
import { accessError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import { createSavedViewInput, updateSavedViewInput } from './saved-views.inputs.ts';
import { type ActingUser, createSavedView, deleteSavedView, updateSavedView } from './saved-views.service.ts';

/** The views that the caller sees: own ones, and those that others share. */
const visibleTo = ({ viewer }: Context) => ({ OR: [{ userId: viewer?.userId ?? -1n }, { shared: true }] });

function actingUser(context: Context): ActingUser {
  const { actor } = inTenant(context);
  if (actor.userId === null) throw accessError('FORBIDDEN');
  return { ...actor, userId: actor.userId };
}

const loadOwners = createFieldLoader(async ({ deps }: Context, ids: bigint[]) => {
  const users = await deps.database.global.user.findMany({ where: { id: { in: ids } } });
  return new Map(users.map(({ id, name, email, sub }) => [id, name ?? email ?? sub]));
});

const SavedViewPermissions = permissionsType('SavedViewPermissions', {
  update: 'updateSavedView',
  delete: 'deleteSavedView',
});

const SavedViewRef = builder.prismaNode('SavedView', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'SavedView', id), ...visibleTo(context) }),
  authScopes: { member: true },
  description: 'A named filter, order and set of columns of a list.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    list: t.exposeString('list', { description: 'The field of `Query` that reads the list.' }),
    name: t.exposeString('name', { description: "Unique among its owner's views of the list." }),
    filter: t.expose('filter', { type: 'JSON', description: 'For the argument `filter` of the list.' }),
    orderBy: t.field({
      type: 'JSON',
      nullable: true,
      description: "For the argument `orderBy` of the list; null for the list's own order.",
      select: { orderBy: true },
      resolve: ({ orderBy }) => (Object.keys(orderBy as object).length === 0 ? null : orderBy),
    }),
    columns: t.exposeStringList('columns', {
      description: "What a client shows, in the client's own words and order.",
    }),
    shared: t.exposeBoolean('shared', { description: 'Whether every user of the tenant sees it.' }),
    isOwn: t.boolean({
      description: 'Whether it is the caller’s, who alone may change it.',
      select: { userId: true },
      resolve: ({ userId }, _args, { viewer }) => userId === viewer?.userId,
    }),
    owner: t.string({
      description: 'The name of its owner, else the address, else the subject of the token.',
      select: { userId: true },
      resolve: async ({ userId }, _args, context, info) => (await loadOwners(context, info, userId, undefined)) ?? '',
    }),
    viewerCan: t.field({
      type: SavedViewPermissions,
      select: { userId: true, shared: true },
      resolve({ userId, shared }, _args, context) {
        const isOwn = userId === context.viewer?.userId;
        return { update: isOwn, delete: isOwn || (shared && hasAccess(context, { admin: true })) };
      },
    }),
    problems: t.field({
      type: [FieldErrorRef],
      description:
        'Why the list does not take the filter or the order any more, where it has changed since they were saved.',
      select: { list: true, filter: true, orderBy: true },
      resolve: (view, _args, _context, { schema }) => toFieldErrors(listProblems(schema, view)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.queryField('savedViews', (t) =>
  t.connection(
    {
      type: SavedViewRef,
      description: "The caller's views and those that others share, newest first.",
      authScopes: { member: true },
      args: {
        list: t.arg.string({ description: 'Only those of this list, such as `runs`.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { list, ...page }, context, info) => {
        const { db, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'SavedView' });
        const where = { tenantId, ...visibleTo(context), ...(list != null && { list }) };
        return pageById(
          page,
          ({ beyond, ...loading }) =>
            db.savedView.findMany({ ...selected, ...loading, where: { ...where, ...beyond } }),
          (most) => db.savedView.count({ where, take: most }),
        );
      },
    },
    defineConnection(SavedViewRef),
  ),
);

builder.relayMutationField(
  'createSavedView',
  mutationInput(createSavedViewInput),
  {
    description: 'Saves a filter, an order and columns of a list under a name, for the caller.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context, { schema }) => ({
      savedView: await createSavedView(context.deps, actingUser(context), input, (given) =>
        listProblems(schema, given),
      ),
    }),
  },
  { outputFields: (t) => ({ savedView: t.field({ type: SavedViewRef, resolve: ({ savedView }) => savedView }) }) },
);

builder.relayMutationField(
  'updateSavedView',
  mutationInput(updateSavedViewInput, idField),
  {
    description: "Changes what is given of one of the caller's views, and leaves the rest.",
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context, { schema }) => ({
      savedView: await updateSavedView(context.deps, actingUser(context), readId('SavedView', id), changes, (given) =>
        listProblems(schema, given),
      ),
    }),
  },
  { outputFields: (t) => ({ savedView: t.field({ type: SavedViewRef, resolve: ({ savedView }) => savedView }) }) },
);

builder.relayMutationField(
  'deleteSavedView',
  { inputFields: idField },
  {
    description: "Deletes one of the caller's views; an admin may also delete one that somebody else shares.",
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('SavedView', id);
      await deleteSavedView(context.deps, actingUser(context), key, { anyShared: hasAccess(context, { admin: true }) });
      return { deletedId: encodeGlobalID('SavedView', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted view.' }),
    }),
  },
);
