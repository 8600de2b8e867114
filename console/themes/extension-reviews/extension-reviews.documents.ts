import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';
import { ExtensionRow } from '#console/themes/extensions.documents.ts';

export const AllExtensions = rows('allExtensions', ExtensionRow);

export const WaitingForReview = graphql(`
  query WaitingForReview {
    allExtensions(first: 1, filter: { status: DRAFT, type: PUBLIC }) { totalCount }
  }
`);
