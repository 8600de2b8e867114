import { rows } from '#console/graph/documents.ts';
import { graphql, type ResultOf } from '#console/graph/graphql.ts';

export const ExtensionRow = graphql(`
  fragment ExtensionRow on Extension {
    id databaseId vendor name version title type status blocked createdAt
    viewerCan { install publish reject withdraw }
  }
`);

/** Those that the tenant sees. */
export const Extensions = rows('extensions', ExtensionRow);

export type Extension = ResultOf<typeof ExtensionRow>;
