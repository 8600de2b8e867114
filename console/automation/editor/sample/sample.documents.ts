import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const SampleRun = graphql(`
  fragment SampleRun on Run {
    id databaseId status isTest createdAt
  }
`);

export const SampleRuns = rows('runs', SampleRun);
