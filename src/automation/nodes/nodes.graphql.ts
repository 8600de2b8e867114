import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Prisma } from '#prisma/client.ts';
import { asSlug } from '#src/automation/node-api/slug.rules.ts';
import { versionOrder } from '#src/automation/node-api/version-order.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import type { Context } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { connectionOf } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, type PageArgs, pageByKey } from '#src/graphql/paging/connections.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/keyset.ts';
import { deleteNode, findNode } from './nodes.service.ts';

const NodePackageRef = builder.prismaObject('NodePackage', {
  name: 'NodePackage',
  description: 'A registered package of nodes, in one version.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As npm names it.' }),
    version: t.exposeString('version', { description: 'Semver.' }),
    label: t.exposeString('label', { description: 'Its name for people.' }),
  }),
});

const NodePermissions = permissionsType('NodePermissions', {
  delete: 'deleteNode',
  test: 'testNode',
});

export const NodeDefinitionRef = builder.prismaNode('Node', {
  name: 'NodeDefinition',
  description: 'One version of a node that workflows may use. The catalogue is the same for every tenant.',
  id: { resolve: (node) => String(node.id) },
  findUnique: (id) => ({ id: readId('NodeDefinition', id) }),
  // Slug and version are what a cursor is written of.
  select: { id: true, slug: true, version: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    name: t.exposeString('name', { description: 'The part of the slug after the colon.' }),
    namespace: t.exposeString('namespace', {
      description: 'The part of the slug before the colon; one organisation owns it.',
    }),
    slug: t.exposeString('slug', { description: '`<namespace>:<name>`' }),
    version: t.exposeString('version', { description: 'Semver.' }),
    package: t.relation('package', { type: NodePackageRef, description: 'The package that registered it.' }),
    manifestVersion: t.exposeString('manifestVersion', {
      description: 'The version of the JSON Schema node-manifest that the manifest follows.',
    }),
    manifest: t.expose('manifest', {
      type: 'JSON',
      description: 'Its fields, branches and texts, as the JSON Schema node-manifest describes them.',
    }),
    viewerCan: t.field({ type: NodePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** A place in the catalogue's order: slug ascending, then version descending; by text where precedence is the same. */
interface NodeKey {
  slug: string;
  version: string;
}

const cursors: Cursors<NodeKey, NodeKey> = {
  write: ({ slug, version }) => `${slug}@${version}`,
  read(text) {
    const [, slug, version] = /^([a-z0-9:-]{1,128})@(\d[0-9A-Za-z.+-]{1,63})$/.exec(text) ?? [];
    return slug === undefined || version === undefined || !isVersion(version) ? undefined : { slug, version };
  },
};

function isVersion(text: string): boolean {
  try {
    return versionOrder(text) !== '';
  } catch {
    return false;
  }
}

/** The nodes on one side of a place. */
function beyond({ slug, version }: NodeKey, side: 'gt' | 'lt'): Prisma.NodeWhereInput {
  const other = side === 'gt' ? 'lt' : 'gt';
  const order = versionOrder(version);
  return {
    OR: [
      { slug: { [side]: slug } },
      { slug, versionOrder: { [other]: order } },
      { slug, versionOrder: order, version: { [other]: version } },
    ],
  };
}

const catalogueOrder = (backwards: boolean): Prisma.NodeOrderByWithRelationInput[] => {
  const [first, then] = backwards ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const);
  return [{ slug: first }, { versionOrder: then }, { version: then }];
};

const pageQuery = ({ take, skip, backwards, after, before }: KeyPage<NodeKey>, where: Prisma.NodeWhereInput) => ({
  take,
  skip,
  orderBy: catalogueOrder(backwards),
  where: { AND: [where, ...(after ? [beyond(after, 'gt')] : []), ...(before ? [beyond(before, 'lt')] : [])] },
});

function pageOfNodes(where: Prisma.NodeWhereInput, page: PageArgs, context: Context, info: GraphQLResolveInfo) {
  const { node } = context.deps.database.global;
  const query = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'NodeDefinition' });
  return pageByKey<NodeKey & { id: bigint }, NodeKey>(
    page,
    cursors,
    (keys) => node.findMany({ ...query, ...pageQuery(keys, where) }),
    (most) => node.count({ where, take: most }),
  );
}

const NodeConnection = connectionOf(NodeDefinitionRef);

builder.queryFields((t) => ({
  nodes: t.connection(
    {
      type: NodeDefinitionRef,
      description: 'The node catalogue: by slug, newest version first.',
      args: { namespace: t.arg.string({ description: 'Nodes of this namespace only.' }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { namespace, ...page }, context, info) =>
        pageOfNodes(namespace ? { namespace } : {}, page, context, info),
    },
    NodeConnection,
  ),
  nodeVersions: t.connection(
    {
      type: NodeDefinitionRef,
      nullable: true,
      description: 'The versions of a node, highest first; null for an unknown node.',
      args: {
        slug: t.arg.string({ description: '`<namespace>:<name>`', required: true }),
        offset: t.arg.int(offsetArg),
      },
      async resolve(_root, { slug: given, ...page }, context, info) {
        const slug = asSlug(given);
        const found = await pageOfNodes({ slug }, page, context, info);
        return found.edges.length > 0 || (await context.deps.database.global.node.findFirst({ where: { slug } }))
          ? found
          : null;
      },
    },
    NodeConnection,
  ),
  nodeDefinition: t.field({
    type: NodeDefinitionRef,
    nullable: true,
    description: 'A node by slug and version, which may be `latest`.',
    args: {
      slug: t.arg.string({ description: '`<namespace>:<name>`', required: true }),
      version: t.arg.string({ description: 'An exact version or `latest`.', required: true }),
    },
    resolve: (_root, { slug, version }, { deps }) =>
      findNode(deps.database.global, slug, version).catch(nullWhenMissing),
  }),
}));

const nullWhenMissing = (error: unknown): null => {
  if (error instanceof NotFoundError) return null;
  throw error;
};

builder.relayMutationField(
  'deleteNode',
  {
    inputFields: (t) => ({
      slug: t.string({ description: '`<namespace>:<name>`', required: true }),
      version: t.string({ required: true, description: 'An exact version.' }),
    }),
  },
  {
    extensions: takes(null, 'slug', 'version'),
    description: 'Deletes one version of a node from the catalogue. Refused for built-in nodes.',
    authScopes: { operator: true },
    errors: errorTypes,
    async resolve(_root, { input: { slug, version } }, { deps }) {
      await deleteNode(deps, slug, version);
      return { slug, version };
    },
  },
  {
    outputFields: (t) => ({
      slug: t.exposeString('slug', { description: 'Of the deleted node.' }),
      version: t.exposeString('version', { description: 'Of the deleted node.' }),
    }),
  },
);
