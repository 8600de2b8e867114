import { queryFromInfo } from '@pothos/plugin-prisma';
import type { CredentialType } from '#prisma/client.ts';
import type { CredentialTypeManifest, ManifestImage } from '#src/automation/node-api/manifest.ts';
import { iconUrl, listImages, withImages } from '#src/automation/packages/manifest-images.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { globalQuery, pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { readId } from '#src/infra/inputs.ts';
import { credentialTypeList } from './credential-types.reads.ts';
import { readCredentialType } from './credential-types.service.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    NodePackageImage: ManifestImage;
  }
}

builder.objectType('NodePackageImage', {
  description: 'An image that a package brought for editors to show.',
  fields: (t) => ({
    src: t.exposeString('src', { description: 'A signed link, good for an hour.' }),
    alt: t.field({ type: 'JSON', description: 'Text by locale code.', resolve: ({ alt }) => alt ?? {} }),
    title: t.field({ type: 'JSON', description: 'Text by locale code.', resolve: ({ title }) => title ?? {} }),
    category: t.exposeString('category', {
      nullable: true,
      description: 'What the package files it under; null where it says nothing.',
    }),
  }),
});

const AuthKind = defineEnum('CredentialAuthKind', ['secret', 'oauth2', 'session'], {
  description: 'How credentials of a type authenticate.',
  values: {
    secret: 'By secrets that somebody enters.',
    oauth2: 'By OAuth 2, with tokens that are refreshed.',
    session: 'By the token of a session, for which the platform signs in with a user name and a password.',
  },
});

const readManifest = ({ manifest }: Pick<CredentialType, 'manifest'>) => manifest as unknown as CredentialTypeManifest;

const CredentialTypeRef = builder.prismaNode('CredentialType', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id) => ({ id: readId('CredentialType', id) }),
  select: { id: true },
  description: 'What a credential of this kind holds. Only the latest registered version is shown.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    slug: t.exposeString('slug', { description: '`<namespace>:<name>`' }),
    version: t.exposeString('version', { description: 'Of the package that registered it: semver.' }),
    name: t.exposeString('name', { description: 'For people.' }),
    description: t.exposeString('description', { description: 'For people.' }),
    icon: t.string({
      nullable: true,
      description: 'A signed link, good for an hour.',
      select: withImages,
      resolve: (type, _args, { automation }) => iconUrl(type, automation.imageUrls),
    }),
    images: t.field({
      type: ['NodePackageImage'],
      description: 'In the order of the package.',
      select: withImages,
      resolve: (type, _args, { automation }) => listImages(type, automation.imageUrls),
    }),
    authKind: t.field({
      type: AuthKind,
      description: 'Whether it holds secrets that are sent as they are, or gets tokens with them.',
      select: { authKind: true },
      resolve: ({ authKind }) => authKind as 'secret',
    }),
    fields: t.field({
      type: 'JSON',
      description: 'The fields of the form, as the schema credential-type/v1 describes them.',
      select: { manifest: true },
      resolve: (type) => readManifest(type).fields,
    }),
  }),
});

const CredentialTypeFilterInput = builder.inputType('CredentialTypeFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({
      description: 'Part of the slug, the name or the description, in any case; at most 191 characters.',
    }),
  }),
});

const CredentialTypeOrderInput = orderInput('CredentialType', {
  of: 'credential types',
  fields: { SLUG: {}, NAME: {} },
});

builder.queryFields((t) => ({
  credentialTypes: t.connection(
    {
      type: CredentialTypeRef,
      description: 'The credential types of all node packages.',
      authScopes: { authenticated: true },
      args: {
        filter: t.arg({ type: CredentialTypeFilterInput }),
        orderBy: t.arg({ type: CredentialTypeOrderInput, description: 'Left out: by slug.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { database } = context.deps;
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'CredentialType' });
        return pageInOrder(credentialTypeList, page, {
          filter: filter ?? {},
          order: orderBy ?? { field: 'SLUG', direction: 'ASC' },
          query: globalQuery(database),
          load: (ids) =>
            database.global.credentialType.findMany({ ...selected, where: { id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(CredentialTypeRef),
  ),
  credentialType: t.prismaField({
    type: CredentialTypeRef,
    description: 'A credential type in its latest registered version.',
    authScopes: { authenticated: true },
    nullable: true,
    args: { slug: t.arg.string({ description: '`<namespace>:<name>`', required: true }) },
    resolve: (query, _root, { slug }, { deps }) => readCredentialType(deps, slug, query),
  }),
}));
