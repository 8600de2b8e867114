import { page } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

/** A version of the same extension, to choose from. */
export const VersionRow = graphql(`
  fragment VersionRow on Extension {
    id databaseId version type status createdAt
  }
`);

/** What a version is compared by. */
export const ComparedVersion = graphql(`
  fragment ComparedVersion on Extension {
    id version manifest
    assets { path contentType size integrity elements }
  }
`);

export const VersionToCompare = page('extension', ComparedVersion);
