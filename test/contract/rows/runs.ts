import { z } from 'zod';
import { invalid, type MakeAsk, notFound, pageLimits, areaRows, text } from '#test/contract/contract-row.ts';
import * as shapes from '#test/contract/shapes.ts';

const noManualTrigger = {
  message: 'Workflow has no active manual trigger; pass trigger_handle to start a specific trigger.',
};
const notReady = { message: 'Workflow bundle is not ready.' };

const askRun =
  (kind: 'echoing' | 'failing' | 'waiting', body?: object): MakeAsk =>
  async ({ makeRun }) => ({ params: { id: (await makeRun(kind)).id }, ...(body && { body }) });
const echoing =
  (body: object): MakeAsk =>
  async ({ makeWorkflow }) => ({ params: { id: (await makeWorkflow()).id }, body });

export const workflowRunRows = areaRows('Workflow Runs', [
  {
    method: 'GET',
    path: '/workflows/{id}/runs',
    who: 'user',
    owned: true,
    ask: async ({ makeRun }) => ({ params: { id: (await makeRun('echoing')).workflowId } }),
    answers: { status: 200, body: shapes.page(shapes.run) },
    limits: pageLimits(({ workflow: { id } }) => ({ params: { id } })),
  },
  {
    method: 'POST',
    path: '/workflows/{id}/runs',
    who: 'user',
    owned: true,
    ask: echoing({ payload: { n: 1 }, idempotency_key: 'once' }),
    answers: { status: 202, body: shapes.started },
    refuses: [
      {
        when: 'the workflow has no manual trigger',
        ask: async ({ makeWorkflow }) => ({ params: { id: (await makeWorkflow('echoing', 'webhook')).id }, body: {} }),
        status: 422,
        body: noManualTrigger,
      },
      {
        when: 'the bundle is not ready',
        ask: async ({ makeUnbuilt }) => ({ params: { id: (await makeUnbuilt('manual')).id }, body: {} }),
        status: 409,
        body: notReady,
      },
    ],
    limits: [
      {
        what: 'an idempotency key of 255 characters',
        field: 'idempotency_key',
        edge: echoing({ idempotency_key: text(255) }),
        past: echoing({ idempotency_key: text(256) }),
      },
    ],
  },
  {
    method: 'GET',
    path: '/workflows/{id}/runs/{runId}',
    who: 'user',
    owned: true,
    ask: async ({ makeRun }) => {
      const { id: runId, workflowId: id } = await makeRun('echoing');
      return { params: { id, runId } };
    },
    answers: { status: 200, body: shapes.runDetail },
    refuses: [
      {
        when: 'the run is of another workflow',
        ask: ({ workflow: { id }, runId }) => ({ params: { id, runId } }),
        status: 404,
        body: notFound,
      },
    ],
  },
]);

export const runRows = areaRows('Runs', [
  {
    method: 'GET',
    path: '/runs/{id}',
    who: 'user',
    owned: true,
    ask: askRun('echoing'),
    answers: { status: 200, body: shapes.runDetail },
  },
  {
    method: 'GET',
    path: '/runs',
    who: 'user',
    ask: () => ({ query: 'status[]=succeeded&status[]=failed&sort=duration&direction=asc' }),
    answers: { status: 200, body: shapes.feed(shapes.run) },
    refuses: [
      { when: 'a status is unknown', ask: () => ({ query: 'status[]=done' }), status: 422, body: invalid('status.0') },
      { when: 'the order is unknown', ask: () => ({ query: 'sort=name' }), status: 422, body: invalid('sort') },
      {
        when: 'the direction is unknown',
        ask: () => ({ query: 'direction=up' }),
        status: 422,
        body: invalid('direction'),
      },
      {
        when: 'a time is not an instant',
        ask: () => ({ query: 'since=yesterday' }),
        status: 422,
        body: invalid('since'),
      },
    ],
    limits: pageLimits(),
  },
  {
    method: 'GET',
    path: '/runs/summary',
    who: 'user',
    answers: { status: 200, body: shapes.runSummary },
    refuses: [
      { when: 'a status is unknown', ask: () => ({ query: 'status[]=done' }), status: 422, body: invalid('status.0') },
    ],
  },
  {
    method: 'POST',
    path: '/runs/{id}/cancel',
    who: 'user',
    owned: true,
    ask: askRun('waiting'),
    answers: { status: 202, body: shapes.started },
    refuses: [{ when: 'the run has ended', ask: askRun('echoing'), status: 409, body: {} }],
  },
  {
    method: 'POST',
    path: '/runs/{id}/retry',
    who: 'user',
    owned: true,
    ask: askRun('failing'),
    answers: { status: 202, body: shapes.retried },
    refuses: [{ when: 'the run succeeded', ask: askRun('echoing'), status: 409, body: {} }],
  },
  {
    method: 'POST',
    path: '/runs/{id}/rerun',
    who: 'user',
    owned: true,
    ask: askRun('echoing', { payload: { n: 2 } }),
    answers: { status: 202, body: shapes.rerun },
  },
  {
    method: 'POST',
    path: '/runs/{id}/resume',
    who: 'user',
    owned: true,
    async ask({ makeRun }) {
      const { id, token } = await makeRun('waiting');
      return { params: { id }, body: { token, data: { approved: true } } };
    },
    answers: { status: 202, body: shapes.started },
    refuses: [
      {
        when: 'the token is not the step’s',
        ask: askRun('waiting', { token: '00000000-0000-4000-8000-000000000000' }),
        status: 404,
        body: {},
      },
    ],
  },
]);

const letter: MakeAsk = async ({ makeDeadLetter }) => ({ params: { id: (await makeDeadLetter()).id } });
const discarded: MakeAsk = async ({ makeDeadLetter, rest }) => {
  const { id } = await makeDeadLetter();
  await rest('POST', `/dead-letters/${id}/discard`);
  return { params: { id } };
};
const settled = { message: 'Dead letter has already been replayed or discarded.' };
const narrowing = 'status[]=pending&since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z';

export const deadLetterRows = areaRows('Run Dead Letters', [
  {
    method: 'GET',
    path: '/workflows/{workflowId}/dead-letters',
    who: 'user',
    owned: true,
    ask: async ({ makeDeadLetter }) => ({ params: { workflowId: (await makeDeadLetter()).workflowId } }),
    answers: { status: 200, body: shapes.page(shapes.deadLetter) },
    limits: pageLimits(({ workflow: { id: workflowId } }) => ({ params: { workflowId } })),
  },
  {
    method: 'GET',
    path: '/dead-letters',
    who: 'user',
    ask: () => ({ query: narrowing }),
    answers: { status: 200, body: shapes.feed(shapes.deadLetter) },
    refuses: [
      { when: 'a status is unknown', ask: () => ({ query: 'status[]=lost' }), status: 422, body: invalid('status.0') },
    ],
    limits: pageLimits(),
  },
  {
    method: 'GET',
    path: '/dead-letters/summary',
    who: 'user',
    ask: () => ({ query: narrowing }),
    answers: { status: 200, body: shapes.deadLetterSummary },
  },
  {
    method: 'GET',
    path: '/dead-letters/{id}',
    who: 'user',
    owned: true,
    ask: letter,
    answers: { status: 200, body: shapes.deadLetter.extend({ payload: z.unknown() }) },
  },
  {
    method: 'POST',
    path: '/dead-letters/{id}/replay',
    who: 'user',
    owned: true,
    ask: letter,
    answers: { status: 202, body: shapes.started.extend({ status: z.literal('running') }) },
    refuses: [
      { when: 'it is settled', ask: discarded, status: 409, body: settled },
      {
        when: 'the workflow is not runnable',
        async ask({ makeDeadLetter, rest }) {
          const { id, workflowId } = await makeDeadLetter();
          // A new revision nobody has built yet.
          const blob = {
            version: 'v1',
            nodes: [{ id: 'gone', node: 'core:set', version: '1.0.0', config: { values: {} } }],
            edges: [],
          };
          await rest('PATCH', `/workflows/${workflowId}`, { body: { blob } });
          return { params: { id } };
        },
        status: 409,
        body: notReady,
      },
      {
        when: 'the trigger is gone and the workflow has no manual one',
        async ask({ makeDeadLetter, rest }) {
          const { id, workflowId } = await makeDeadLetter();
          const { body } = await rest('GET', `/workflows/${workflowId}/triggers`);
          for (const trigger of body['data'] as unknown as { id: number }[]) {
            await rest('DELETE', `/workflows/${workflowId}/triggers/${trigger.id}`);
          }
          return { params: { id } };
        },
        status: 422,
        body: noManualTrigger,
      },
    ],
  },
  {
    method: 'POST',
    path: '/dead-letters/{id}/discard',
    who: 'user',
    owned: true,
    ask: letter,
    answers: { status: 200, body: z.strictObject({ id: z.int(), status: z.literal('discarded') }) },
    refuses: [{ when: 'it is settled', ask: discarded, status: 409, body: settled }],
  },
]);

const firing: MakeAsk = async ({ makeWorkflow }) => ({
  params: { handle: (await makeWorkflow('echoing', 'webhook')).handle },
});
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const webhookRows = areaRows(
  'Webhooks',
  methods.map((method) => ({
    method,
    path: '/webhooks/{handle}',
    who: 'user' as const,
    owned: true,
    ask: async (world) => ({ ...(await firing(world)), ...(method !== 'GET' && { body: { order: 1 } }) }),
    answers: { status: 202, body: z.strictObject({ run_id: z.int(), status: z.string() }) },
    refuses: [
      {
        when: 'nothing has the handle',
        ask: () => ({ params: { handle: '00000000-0000-4000-8000-000000000000' } }),
        status: 404,
        body: notFound,
      },
    ],
  })),
).concat(
  areaRows('Webhooks', [
    {
      method: 'POST',
      path: '/webhooks/{handle}',
      who: 'user',
      owned: true,
      // Nobody has built it yet: the firing is captured.
      ask: async ({ makeUnbuilt }) => ({ params: { handle: (await makeUnbuilt('webhook')).handle }, body: {} }),
      answers: {
        status: 202,
        body: z.strictObject({ run_id: z.null(), dead_letter_id: z.int(), status: z.literal('pending') }),
      },
    },
  ]),
);
