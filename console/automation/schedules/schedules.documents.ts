import { graphql } from '#console/graph/graphql.ts';

export const ScheduleRow = graphql(`
  fragment ScheduleRow on Schedule {
    id
    active
    cron
    timezone
    misfire
    nextFireAt
    lastFiredAt
    lastRunStatus
    workflowName
    triggerHandle
    trigger {
      id
      name
    }
  }
`);

export const Schedules = graphql(
  `
    query Schedules($first: Int, $after: String, $filter: ScheduleFilter, $orderBy: ScheduleOrder) {
      schedules(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            ...ScheduleRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ScheduleRow],
);
