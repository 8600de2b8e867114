import { list } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

export const scheduleRoutes = [
  route({
    method: 'GET',
    path: '/schedules',
    name: 'listSchedules',
    tag: 'Schedules',
    summary: 'Every scheduled trigger, newest first: when it fires next, and when it last really fired. At most 1000.',
    document: `query {
        schedules(first: 1000) {
          edges {
            node {
              trigger_id: triggerId trigger_handle: triggerHandle workflow_id: workflowId workflow_name: workflowName
              cron timezone active next_fire_at: nextFireAt last_fired_at: lastFiredAt
              last_run_id: lastRunId last_run_status: lastRunStatus
            }
          }
        }
      }`,
    reply: list,
  }),
];
