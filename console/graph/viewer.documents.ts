import { graphql, type ResultOf } from './graphql.ts';

export const Viewer = graphql(`
  query Viewer {
    me { user { name email idpId } context { roles mutations move { arrives movesTo } } tenants { slug name orgSlug } }
  }
`);

export type Me = ResultOf<typeof Viewer>['me'];
