import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { asSlug } from '#src/automation/node-api/slug.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import type { Context } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, type PageArgs } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { globalQuery, pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { Order } from '#src/infra/postgres/lists/ordered-list.ts';
import { type NodeFilter, nodeList } from './nodes.reads.ts';
import { deleteNode, findNode } from './nodes.service.ts';

export const NodeKind = defineEnum('NodeKind', ['action', 'transform', 'control'], {
  description: 'What a node does to a run and beyond it.',
  values: {
    action: 'Reaches outside the run.',
    transform: 'Computes from its config and inputs alone.',
    control: 'Steers the run.',
  },
});

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
  select: { id: true },
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

type NodeOrder = Order<keyof typeof nodeList.orders>;
const bySlug: NodeOrder = { field: 'SLUG', direction: 'ASC' };

function pageOfNodes(
  { filter, order, page }: { filter: NodeFilter; order: NodeOrder; page: PageArgs },
  context: Context,
  info: GraphQLResolveInfo,
) {
  const { database } = context.deps;
  const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'NodeDefinition' });
  return pageInOrder(nodeList, page, {
    filter,
    order,
    query: globalQuery(database),
    load: (ids) => database.global.node.findMany({ ...selected, where: { id: { in: ids.map(BigInt) } } }),
    rowId: ({ id }) => String(id),
  });
}

const NodeFilterInput = builder.inputType('NodeDefinitionFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({
      description: 'Part of the slug, the name or the description, in any case; at most 191 characters.',
    }),
    namespace: t.string({ description: 'The part of the slug before the colon.' }),
    package: t.string({ description: 'Name of the package that registered it.' }),
    kind: t.field({ type: [NodeKind], description: 'Any of these; all where it is empty or left out.' }),
    latest: t.boolean({ description: 'True for the highest version of each node alone.' }),
  }),
});

const NodeOrderInput = orderInput('NodeDefinition', {
  of: 'nodes',
  fields: {
    SLUG: { description: 'Upwards, the newest version of a slug comes first; downwards, last.' },
    NAME: { description: 'By the part of the slug after the colon, then as by slug.' },
    CREATED_AT: { description: 'By when the version was registered.' },
  },
});

const NodeConnection = defineConnection(NodeDefinitionRef);

builder.queryFields((t) => ({
  nodes: t.connection(
    {
      type: NodeDefinitionRef,
      description: 'The node catalogue, every version of every node.',
      authScopes: { authenticated: true },
      args: {
        filter: t.arg({ type: NodeFilterInput }),
        orderBy: t.arg({ type: NodeOrderInput, description: 'Left out: by slug, newest version first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) =>
        pageOfNodes({ filter: filter ?? {}, order: orderBy ?? bySlug, page }, context, info),
    },
    NodeConnection,
  ),
  nodeVersions: t.connection(
    {
      type: NodeDefinitionRef,
      nullable: true,
      description: 'The versions of a node, highest first; null for an unknown node.',
      authScopes: { authenticated: true },
      args: {
        slug: t.arg.string({ description: '`<namespace>:<name>`', required: true }),
        offset: t.arg.int(offsetArg),
      },
      async resolve(_root, { slug: given, ...page }, context, info) {
        const slug = asSlug(given);
        const found = await pageOfNodes({ filter: { slug }, order: bySlug, page }, context, info);
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
    authScopes: { authenticated: true },
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
