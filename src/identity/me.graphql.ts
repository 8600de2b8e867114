import { builder } from '#src/graphql/builder.ts';
import type { Context, Viewer } from '#src/graphql/context.ts';
import { enumOf } from '#src/graphql/enums.ts';
import { accessError } from '#src/infra/errors.ts';

const MeUser = builder.objectRef<Viewer>('MeUser').implement({
  fields: (t) => ({
    id: t.expose('userId', { type: 'Long' }),
    idpId: t.exposeString('sub', { description: 'The subject, as the identity provider names it.' }),
    email: t.exposeString('email', { nullable: true }),
    name: t.exposeString('name', { nullable: true }),
  }),
});

const MeContext = builder
  .objectRef<{ tenantId: string | null; plane: Context['plane']; roles: string[] }>('MeContext')
  .implement({
    fields: (t) => ({
      tenantId: t.exposeString('tenantId', { nullable: true }),
      activePlane: t.expose('plane', { type: enumOf('Plane', ['public', 'admin']) }),
      roles: t.exposeStringList('roles'),
    }),
  });

const MeClaims = builder.objectRef<Viewer>('MeClaims').implement({
  fields: (t) => ({
    iss: t.exposeString('iss'),
    sub: t.exposeString('sub'),
    aud: t.exposeStringList('aud'),
  }),
});

const Me = builder.objectRef<{ viewer: Viewer; context: Context }>('Me').implement({
  description: 'Who is asking, and in which tenant.',
  fields: (t) => ({
    user: t.field({ type: MeUser, resolve: ({ viewer }) => viewer }),
    context: t.field({
      type: MeContext,
      resolve: ({ viewer, context }) => ({
        tenantId: context.tenant?.id ?? null,
        plane: context.plane,
        roles: viewer.roles,
      }),
    }),
    claims: t.field({ type: MeClaims, resolve: ({ viewer }) => viewer }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: Me,
    resolve: (_root, _args, context) => {
      if (!context.viewer) throw accessError('UNAUTHENTICATED');
      return { viewer: context.viewer, context };
    },
  }),
);
