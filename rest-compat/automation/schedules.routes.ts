import { route } from '#rest/route.ts';

export const scheduleRoutes = [
  route({
    method: 'GET',
    path: '/schedules',
    name: 'listSchedules',
    tag: { name: 'Schedules', description: 'When schedule triggers fire next and last fired.' },
    summary: 'Every scheduled trigger, newest first: when it fires next, and when it last really fired.',
    document: `query ($first: Int, $after: String) {
        schedules(first: $first, after: $after) {
          edges {
            node {
              trigger_id: triggerId trigger_handle: triggerHandle workflow_id: workflowId workflow_name: workflowName
              cron timezone active next_fire_at: nextFireAt last_fired_at: lastFiredAt
              last_run_id: lastRunId last_run_status: lastRunStatus
            }
          }
          pageInfo { hasNextPage endCursor }
        }
      }`,
    streamedList: {},
  }),
];
