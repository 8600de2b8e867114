import { inputBody } from '#rest/bodies.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { updateRetentionInput } from '#src/automation/retention/retention.inputs.ts';

const tag = { name: 'Settings', description: 'What a tenant sets for itself: how long its history is kept.' };

const retentionFields = `fragment Retention on Retention {
  run_days: runDays step_days: stepDays log_days: logDays audit_days: auditDays updated_at: updatedAt
}`;

export const retentionRoutes = [
  route({
    method: 'GET',
    path: '/settings/retention',
    name: 'getRetention',
    tag,
    summary: 'How many days the tenant keeps its history; null keeps it for ever.',
    document: `query { retention { ...Retention } } ${retentionFields}`,
    reply: one(),
  }),
  route({
    method: 'PATCH',
    path: '/settings/retention',
    name: 'updateRetention',
    tag,
    summary: 'Changes what is given. What is then too old goes with the next sweep, for good.',
    document: `mutation ($input: UpdateRetentionInput!) {
        updateRetention(input: $input) { ... on UpdateRetentionPayload { retention { ...Retention } } ...Failure }
      } ${retentionFields}`,
    body: inputBody(updateRetentionInput),
    variables: ({ body }) => ({ input: body }),
    reply: one({ at: 'retention' }),
    example: { body: { run_days: 30 } },
  }),
];
