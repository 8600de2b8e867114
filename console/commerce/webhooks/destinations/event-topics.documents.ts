import { graphql } from '#console/graph/graphql.ts';

export const EventTopics = graphql(`
  query EventTopics { eventTopics { name when } }
`);
