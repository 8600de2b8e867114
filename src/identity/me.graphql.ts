import { builder } from '#src/graphql/builder.ts';
import type { Context, Viewer } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { allowedMutations } from '#src/graphql/viewer-can.ts';
import { accessError } from '#src/infra/errors.ts';
import {
  type EnterableOrg,
  type EnterableTenant,
  listEnterableOrgs,
  listEnterableTenants,
  maxEnterable,
} from './enterable-tenants.reads.ts';
import { type ClosingMove, readClosingMove } from './tenant-moves.reads.ts';

type User = Viewer & { userId: bigint };

const MeUser = builder.objectRef<User>('MeUser').implement({
  description: 'Who the token names.',
  fields: (t) => ({
    id: t.expose('userId', { type: 'Long', description: 'The id that the audit log and REST use.' }),
    idpId: t.exposeString('sub', { description: 'The subject, as the identity provider names it.' }),
    email: t.exposeString('email', { nullable: true, description: 'From the token; null where it has none.' }),
    name: t.exposeString('name', { nullable: true, description: 'From the token; null where it has none.' }),
  }),
});

const TenantMove = builder.objectRef<ClosingMove>('TenantMove').implement({
  description: 'A move of a tenant to another installation, while it keeps the tenant closed: changes are refused.',
  fields: (t) => ({
    arrives: t.exposeBoolean('arrives', {
      description:
        'True where the tenant arrives, and what it has is not complete yet; false where it leaves, or has left.',
    }),
    movesTo: t.exposeString('movesTo', {
      nullable: true,
      description: 'Where it goes, as the operator has named it; null where that was left out.',
    }),
  }),
});

const MeContext = builder
  .objectRef<{ tenantId: string | null; audience: Context['audience']; roles: string[] }>('MeContext')
  .implement({
    description: 'The tenant, plane and roles of the request.',
    fields: (t) => ({
      tenantId: t.exposeString('tenantId', {
        nullable: true,
        description: 'The slug of the tenant that the request named; null without one.',
      }),
      activePlane: t.expose('audience', {
        description: 'Which part of the API was asked.',
        type: defineEnum('Plane', ['public', 'admin'], {
          description: 'Part of the API: what is for everybody, or what is for operators.',
        }),
      }),
      roles: t.exposeStringList('roles', {
        description: 'The roles that the token names; `user`, `admin` and `operator` are known.',
      }),
      move: t.field({
        type: TenantMove,
        nullable: true,
        complexity: 5,
        description: 'The move that keeps the tenant closed; null while it is open, or without a tenant.',
        resolve: async ({ tenantId }, _args, { deps }) =>
          tenantId === null ? null : ((await readClosingMove(deps.database, tenantId)) ?? null),
      }),
      mutations: t.stringList({
        description:
          'The mutations that these roles allow in this tenant, by name. Whether the state of an object permits one, the mutation itself says.',
        resolve: (_own, _args, context, { schema }) => allowedMutations(context, schema),
      }),
    }),
  });

const MeClaims = builder.objectRef<Viewer>('MeClaims').implement({
  description: 'Claims of the token, as they are.',
  fields: (t) => ({
    iss: t.exposeString('iss', { description: 'The issuer.' }),
    sub: t.exposeString('sub', { description: 'The subject.' }),
    aud: t.exposeStringList('aud', { description: 'The audiences.' }),
  }),
});

const MeTenant = builder.objectRef<EnterableTenant>('MeTenant').implement({
  description: 'A tenant that the token may enter.',
  fields: (t) => ({
    slug: t.exposeString('id', { description: 'What `x-tenant-id` names it by.' }),
    name: t.exposeString('name'),
    orgSlug: t.exposeString('orgId', { description: 'The slug of its organisation.' }),
  }),
});

const MeOrg = builder.objectRef<EnterableOrg>('MeOrg').implement({
  description: 'An organisation whose tenants the token may enter.',
  fields: (t) => ({
    slug: t.exposeString('id', { description: 'What tokens name it by.' }),
    name: t.exposeString('name'),
  }),
});

const Me = builder.objectRef<{ viewer: User; context: Context }>('Me').implement({
  description: 'Who is asking, and in which tenant.',
  fields: (t) => ({
    user: t.field({
      type: MeUser,
      description: 'The person or machine that the token is of.',
      resolve: ({ viewer }) => viewer,
    }),
    context: t.field({
      type: MeContext,
      description: 'What the request may act in.',
      resolve: ({ viewer, context }) => ({
        tenantId: context.tenant?.id ?? null,
        audience: context.audience,
        roles: viewer.roles,
      }),
    }),
    tenants: t.field({
      type: [MeTenant],
      complexity: 10,
      description: `The tenants that the token may enter, by slug, at most ${maxEnterable}: those of its organisation, unless it is limited to some.`,
      resolve: ({ viewer, context: { deps } }) => listEnterableTenants(deps.database, viewer),
    }),
    orgs: t.field({
      type: [MeOrg],
      description: 'The organisation that the token names; none if it names none that exists.',
      resolve: ({ viewer, context: { deps } }) => listEnterableOrgs(deps.database, viewer),
    }),
    claims: t.field({ type: MeClaims, description: 'What the token says.', resolve: ({ viewer }) => viewer }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: Me,
    description: 'What the API knows of whoever asks.',
    authScopes: { authenticated: true },
    resolve: (_root, _args, context) => {
      const { viewer } = context;
      if (viewer?.userId == null) throw accessError('UNAUTHENTICATED');
      return { viewer: { ...viewer, userId: viewer.userId }, context };
    },
  }),
);
