import { graphql } from '#console/graph/graphql.ts';

export const NextTicks = graphql(`
  query NextTicks($cron: String!, $timezone: String!, $count: Int!) {
    nextTicks(cron: $cron, timezone: $timezone, count: $count)
  }
`);
