import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

export const meRoutes = [
  route({
    method: 'GET',
    path: '/me',
    name: 'getMe',
    tag: { name: 'Auth', description: 'Who is asking, and in which tenant.' },
    summary: 'Who is asking, and in which tenant.',
    document: `query { me { ...Me } }
      fragment Me on Me {
        user { id idp_id: idpId email name }
        context { tenant_id: tenantId active_plane: activePlane roles }
        claims { iss sub aud }
      }`,
    reply: one(),
  }),
];
