import { graphql } from '#console/graph/graphql.ts';

export const TriggerTopics = graphql(`
  query TriggerTopics { eventTopics { name when } }
`);

export const IncomingMessages = graphql(`
  query IncomingMessages($search: String) { incomingMessages(search: $search) { slug name description } }
`);
