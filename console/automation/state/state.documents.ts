import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const NamespaceRow = graphql(`
  fragment NamespaceRow on StateNamespace {
    id namespace entries bytes updatedAt
  }
`);

export const StateNamespaces = rows('stateNamespaces', NamespaceRow);

export const NamespacePage = page('node', NamespaceRow);

export const EntryRow = graphql(`
  fragment EntryRow on StateEntry {
    id key version expiresAt updatedAt
  }
`);

export const StateEntries = rows('stateEntries', EntryRow);

export const EntryFacts = graphql(
  `
  fragment EntryFacts on StateEntry {
    ...EntryRow
    namespace value createdAt
    viewerCan { delete update }
  }
`,
  [EntryRow],
);

export const EntryPage = page('node', EntryFacts);

export const PutStateEntry = mutation('putStateEntry', 'entry { ...EntryFacts }', [EntryFacts]);

export const DeleteStateEntry = mutation('deleteStateEntry', 'deletedKey');
