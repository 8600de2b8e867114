import { z } from 'zod';
import { inputBody, json } from '#rest/bodies.ts';
import { databaseId, queryList } from '#rest/parameters.ts';
import { data, one, property, type Reply } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { resumeRunInput } from '#src/automation/runs/runs.inputs.ts';
import { testRunInput } from '#src/automation/test-runs/test-runs.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';

const tag = { name: 'Runs', description: 'Executions of workflows, with their steps and logs.' };

const runStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);

const rowFields = `id: databaseId workflow_id: workflowId workflow_name: workflowName status error
  trigger_handle: triggerHandle trigger_type: triggerType engine_workflow_id: engineWorkflowId engine_run_id: engineRunId
  started_at: startedAt completed_at: completedAt created_at: createdAt updated_at: updatedAt`;
const runRowFields = `fragment RunRow on Run { ${rowFields} }`;

const narrowing = z.object({
  status: queryList(runStatus),
  workflow_id: databaseId.optional(),
  since: instantText.optional(),
  until: instantText.optional(),
  trigger_type: z.enum(['manual', 'schedule', 'webhook', 'event']).optional(),
  search: z.string().max(191).optional(),
});

const toFilter = ({ status, workflow_id, since, until, trigger_type, search }: z.output<typeof narrowing>) => ({
  filter: { status, workflowId: workflow_id, since, until, triggerType: trigger_type, search },
});

/** The result of a mutation of runs: enough to follow the run. */
const startedFields = 'fragment StartedRun on Run { id: databaseId workflow_id: workflowId status }';
const accepted = one({ status: 202, at: 'run' });

/** The same with the revision of the run. */
const repeatedFields = 'id: databaseId workflow_id: workflowId status revision';

/** A retried run, with a warning in body and header if the workflow has another revision by now. */
const retried: Reply = {
  ...accepted,
  replyHeaders: (found): Record<string, string> => {
    const { warning } = found as { warning: string | null };
    return warning === null ? {} : { warning: `299 - "${warning}"` };
  },
  body: (found) => {
    const { run, warning } = found as { run: object; warning: string | null };
    return { ...run, warning };
  },
  schema: (root) => {
    const run = property(root, 'run');
    return {
      ...run,
      properties: { ...(run['properties'] as object), warning: property(root, 'warning') },
      required: [...((run['required'] as string[] | undefined) ?? []), 'warning'],
    };
  },
};

const order = z.object({
  sort: z.enum(['started_at', 'duration', 'created_at']).default('started_at'),
  direction: z.enum(['asc', 'desc']).default('desc'),
});

const runFields = `fragment Run on Run {
  ${rowFields}
  payload result revision
  steps {
    node_id: nodeId path attempt node version status branch inputs outputs error logs { level message at }
    resume_token: resumeToken started_at: startedAt completed_at: completedAt duration_ms: durationMs
  }
}`;

export const runRoutes = [
  route({
    method: 'GET',
    path: '/runs',
    name: 'listRuns',
    tag,
    summary:
      'Runs of all workflows, the last started first. All given filters must match; the order applies to what is left.',
    document: `query ($filter: RunFilter, $orderBy: RunOrder, $first: Int, $offset: Int) {
        runs(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
          edges { node { ...RunRow } } pageInfo { hasNextPage }
        }
      } ${runRowFields}`,
    list: {},
    query: narrowing.extend(order.shape),
    variables: ({ query, page }) => ({
      ...toFilter(query),
      ...page,
      orderBy: { field: query.sort.toUpperCase(), direction: query.direction.toUpperCase() },
    }),
  }),
  route({
    method: 'GET',
    path: '/runs/summary',
    name: 'summariseRuns',
    tag,
    summary: 'How many runs the filters leave, by status.',
    document: `query ($filter: RunFilter) {
        runSummary(filter: $filter) {
          total by_status: byStatus { queued running waiting succeeded failed cancelled }
        }
      }`,
    query: narrowing,
    variables: ({ query }) => toFilter(query),
    reply: data(),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/runs',
    name: 'listWorkflowRuns',
    tag,
    summary: "A workflow's runs, newest first, also once it has been deleted.",
    document: `query ($id: ID!, $first: Int, $offset: Int) {
        workflow(id: $id, includeDeleted: true) {
          runs(first: $first, offset: $offset) { totalCount edges { node { ...RunRow } } }
        }
      } ${runRowFields}`,
    list: { at: 'runs' },
    variables: ({ params, page }) => ({ id: params.id, ...page }),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/runs/{runId}',
    name: 'getRun',
    tag,
    summary: 'A run with its payload, its result and its steps, also once its workflow has been deleted.',
    document: `query ($id: ID!, $runId: ID!) { run(id: $runId, workflowId: $id) { ...Run } } ${runFields}`,
    variables: ({ params }) => ({ id: params.id, runId: params.runId }),
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/runs/{id}',
    name: 'getRunById',
    tag,
    summary: 'The same run, found without its workflow.',
    document: `query ($id: ID!) { run(id: $id) { ...Run } } ${runFields}`,
    variables: ({ params }) => params,
    reply: one(),
  }),
  route({
    method: 'POST',
    path: '/workflows/{id}/runs',
    name: 'startRun',
    tag,
    summary:
      'Starts a run by hand; with `draft`, `pins`, `from`, `to` or `reuse` a test run, which needs the role admin.',
    document: `mutation ($input: StartRunInput!) {
        startRun(input: $input) { ... on StartRunPayload { run { ...StartedRun } } ...Failure }
      } ${startedFields}`,
    body: inputBody(testRunInput),
    variables: ({ params, body }) => ({ input: { ...body, workflowId: params.id } }),
    reply: accepted,
    refuses: ['CONFLICT'],
    example: { body: { payload: { order: 'A-1001' } } },
  }),
  route({
    method: 'POST',
    path: '/runs/{id}/cancel',
    name: 'cancelRun',
    tag,
    summary: 'Ends a run that has not ended.',
    document: `mutation ($id: ID!) {
        cancelRun(input: { id: $id }) { ... on CancelRunPayload { run { ...StartedRun } } ...Failure }
      } ${startedFields}`,
    variables: ({ params }) => params,
    reply: accepted,
    refuses: ['CONFLICT'],
  }),
  route({
    method: 'POST',
    path: '/runs/{id}/retry',
    name: 'retryRun',
    tag,
    summary:
      'Resumes a failed run from the step that failed; what was recorded as done stays done. It keeps the revision that it started with, and warns where the workflow has changed since.',
    document: `mutation ($id: ID!) {
        retryRun(input: { id: $id }) { ... on RetryRunPayload { run { ${repeatedFields} } warning } ...Failure }
      }`,
    variables: ({ params }) => params,
    reply: retried,
    refuses: ['CONFLICT'],
  }),
  route({
    method: 'POST',
    path: '/runs/{id}/rerun',
    name: 'rerunRun',
    tag,
    summary:
      'Starts a new run of the workflow as it now is, with its current revision and the same payload or an edited one.',
    document: `mutation ($input: RerunRunInput!) {
        rerunRun(input: $input) { ... on RerunRunPayload { run { ${repeatedFields} } } ...Failure }
      }`,
    body: json(z.object({ payload: z.unknown().optional() })),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: accepted,
    refuses: ['CONFLICT'],
    example: { body: { payload: { order: 'A-1001', corrected: true } } },
  }),
  route({
    method: 'POST',
    path: '/runs/{id}/resume',
    name: 'resumeRun',
    tag,
    summary: 'Gives a step that waits for an outside caller its data.',
    document: `mutation ($input: ResumeRunInput!) {
        resumeRun(input: $input) { ... on ResumeRunPayload { run { ...StartedRun } } ...Failure }
      } ${startedFields}`,
    body: inputBody(resumeRunInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: accepted,
    refuses: ['CONFLICT'],
    example: { body: { token: '00000000-0000-4000-8000-000000000000', data: { approved: true } } },
  }),
];
