import { z } from 'zod';
import { databaseId, pageQuery, pageVariables, queryInstant, queryList } from '#rest/paging.ts';
import { data, feed, one, page } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

const tag = 'Runs';

const runStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);

const rowFields = `id: databaseId workflow_id: workflowId workflow_name: workflowName status error
  trigger_handle: triggerHandle trigger_type: triggerType engine_workflow_id: engineWorkflowId engine_run_id: engineRunId
  started_at: startedAt completed_at: completedAt created_at: createdAt updated_at: updatedAt`;
const runRowFields = `fragment RunRow on Run { ${rowFields} }`;

const narrowing = z.object({
  status: queryList(runStatus),
  workflow_id: databaseId.optional(),
  since: queryInstant.optional(),
  until: queryInstant.optional(),
  trigger_type: z.string().max(64).optional(),
  search: z.string().max(191).optional(),
});

const filterOf = ({ status, workflow_id, since, until, trigger_type, search }: z.output<typeof narrowing>) => ({
  filter: { status, workflowId: workflow_id, since, until, triggerType: trigger_type, search },
});

const order = z.object({
  sort: z.enum(['started_at', 'duration', 'created_at']).default('started_at'),
  direction: z.enum(['asc', 'desc']).default('desc'),
});

export const runRoutes = [
  route({
    method: 'GET',
    path: '/runs',
    name: 'listRuns',
    tag,
    summary:
      'Runs of all workflows, the last started first. Filters narrow together; the order applies to what is left.',
    document: `query ($filter: RunFilter, $orderBy: RunOrder, $first: Int, $offset: Int) {
        runs(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
          edges { node { ...RunRow } } pageInfo { hasNextPage }
        }
      } ${runRowFields}`,
    query: pageQuery.extend(narrowing.shape).extend(order.shape),
    variables: ({ query }) => ({
      ...filterOf(query),
      ...pageVariables(query),
      orderBy: { field: query.sort.toUpperCase(), direction: query.direction.toUpperCase() },
    }),
    reply: feed,
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
    variables: ({ query }) => filterOf(query),
    reply: data(),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/runs',
    name: 'listWorkflowRuns',
    tag,
    summary: "A workflow's runs, newest first.",
    document: `query ($id: ID!, $first: Int, $offset: Int) {
        workflow(id: $id) { runs(first: $first, offset: $offset) { totalCount edges { node { ...RunRow } } } }
      } ${runRowFields}`,
    query: pageQuery,
    variables: ({ params, query }) => ({ id: params.id, ...pageVariables(query) }),
    reply: page({ at: 'runs' }),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/runs/{runId}',
    name: 'getRun',
    tag,
    summary: 'A run with its payload, its result and its steps.',
    document: `query ($id: ID!, $runId: ID!) {
        workflow(id: $id) { run(id: $runId) { ...Run } }
      }
      fragment Run on Run {
        ${rowFields}
        payload result revision
        steps {
          node_id: nodeId path attempt status branch outputs error logs { level message at }
          resume_token: resumeToken started_at: startedAt completed_at: completedAt
        }
      }`,
    variables: ({ params }) => ({ id: params.id, runId: params.runId }),
    reply: one({ at: 'run' }),
  }),
];
