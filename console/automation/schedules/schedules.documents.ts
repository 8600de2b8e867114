import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ScheduleRow = graphql(`
  fragment ScheduleRow on Schedule {
    id active cron timezone misfire nextFireAt lastFiredAt lastRunStatus workflowName triggerHandle
    trigger { id name }
  }
`);

export const Schedules = rows('schedules', ScheduleRow);
