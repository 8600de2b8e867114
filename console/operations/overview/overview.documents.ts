import { graphql, type ResultOf } from '#console/graph/graphql.ts';

export const Overview = graphql(`
  query Overview($since: DateTime!, $interval: StatsInterval!, $zone: String!) {
    health { version workers eventLagSeconds oldestQueuedAt }
    first: runs(first: 1) { edges { node { id } } }
    runSummary { byStatus { queued running waiting failed } }
    attention(first: 20) { kind severity title message count since nodeId node { __typename } }
    runStats(filter: {since: $since}, interval: $interval, timeZone: $zone) {
      total { total succeeded failed cancelled p50Ms p95Ms }
      buckets { from succeeded failed cancelled p50Ms p95Ms }
    }
    deliveryStats(filter: {since: $since}, interval: $interval, timeZone: $zone) {
      total { total delivered failed pending }
      buckets { from delivered failed pending }
    }
    orderStats(filter: {since: $since}, interval: $interval, timeZone: $zone) {
      currency
      total { orders gross }
      buckets { from orders cancelled }
    }
  }
`);

export type OverviewData = ResultOf<typeof Overview>;
