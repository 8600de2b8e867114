import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const HttpSourceRow = graphql(`
  fragment HttpSourceRow on HttpSource {
    id name url headerNames
    viewerCan { update delete }
    createdAt updatedAt
  }
`);

export const HttpSources = rows('httpSources', HttpSourceRow);

export const HttpSourcePage = page('httpSource', HttpSourceRow);

export const CreateHttpSource = mutation('createHttpSource', 'httpSource { id }');

export const UpdateHttpSource = mutation('updateHttpSource', 'httpSource { ...HttpSourceRow }', [HttpSourceRow]);

export const DeleteHttpSource = mutation('deleteHttpSource', 'deletedId');
