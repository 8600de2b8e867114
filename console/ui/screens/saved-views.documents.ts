import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const Views = graphql(`
  query Views($list: String!) {
    savedViews(list: $list, first: 100) { edges { node { id name owner isOwn columns } } }
  }
`);

export const CreateView = mutation('createSavedView', 'savedView { id }');

export const DeleteView = mutation('deleteSavedView', '__typename');
