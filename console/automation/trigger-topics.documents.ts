import { graphql } from '#console/graph/graphql.ts';

export const TriggerTopics = graphql(`
  query TriggerTopics { eventTopics { name when } }
`);
