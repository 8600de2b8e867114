import { z } from 'zod';
import { invalid, type MakeAsk, notFound, pageLimits, areaRows, text } from '#test/contract/contract-row.ts';
import * as shapes from '#test/contract/shapes.ts';
import { node } from '#test/setup/engine.ts';

const ours: MakeAsk = ({ workflow: { id } }) => ({ params: { id } });
const fresh: MakeAsk = async ({ makeWorkflow }) => ({ params: { id: (await makeWorkflow()).id } });
const makeBlob = (...nodes: object[]) => ({ version: 'v1', nodes, edges: [] });
const empty = makeBlob();

export const workflowRows = areaRows('Workflows', [
  {
    method: 'GET',
    path: '/workflows',
    who: 'user',
    answers: { status: 200, body: shapes.page(shapes.workflowRow) },
    limits: pageLimits(),
  },
  {
    method: 'POST',
    path: '/workflows',
    who: 'admin',
    ask: ({ name }) => ({ body: { name: name('Made'), description: 'Text', blob: empty, active: false } }),
    answers: { status: 201, body: shapes.workflow },
    refuses: [
      { when: 'the name is missing', ask: () => ({ body: {} }), status: 422, body: invalid('name') },
      {
        when: 'the name is taken',
        async ask({ name, rest }) {
          const body = { name: name('Taken') };
          await rest('POST', '/workflows', { body });
          return { body };
        },
        status: 422,
        body: invalid('name'),
      },
      {
        when: 'the blob names a version that is not one',
        ask: ({ name }) => ({ body: { name: name('Bad'), blob: makeBlob({ ...node('a', 'set'), version: 7 }) } }),
        status: 422,
        body: invalid('blob.nodes.0.version'),
      },
      { when: 'the body is not JSON', ask: () => ({ body: '{' }), status: 400, body: {} },
      {
        when: 'a text holds what cannot be stored',
        ask: () => ({ body: { name: 'a\0b' } }),
        status: 422,
        body: { message: 'The given data was invalid.' },
      },
    ],
    limits: [
      {
        what: 'a name of 191 characters',
        field: 'name',
        edge: ({ name }) => ({ body: { name: name('w').padEnd(191, 'x') } }),
        past: ({ name }) => ({ body: { name: name('w').padEnd(192, 'x') } }),
      },
    ],
  },
  {
    method: 'GET',
    path: '/workflows/{id}',
    who: 'user',
    owned: true,
    ask: ours,
    answers: { status: 200, body: shapes.workflow },
  },
  {
    method: 'PATCH',
    path: '/workflows/{id}',
    who: 'admin',
    owned: true,
    ask: async (world) => ({ ...(await fresh(world)), body: { description: 'Changed', revision: 1 } }),
    answers: { status: 200, body: shapes.workflow.extend({ description: z.literal('Changed') }) },
    refuses: [
      {
        when: 'the revision is stale',
        ask: async (world) => ({ ...(await fresh(world)), body: { blob: empty, revision: 99 } }),
        status: 409,
        body: {},
      },
      {
        when: 'the version is stale',
        ask: async (world) => ({ ...(await fresh(world)), body: { name: 'Late', version: 99 } }),
        status: 409,
        body: { message: 'The workflow is at version 1. Load it again and repeat your change.' },
      },
      {
        when: 'the revision is text',
        ask: async (world) => ({ ...(await fresh(world)), body: { revision: '1' } }),
        status: 422,
        body: invalid('revision'),
      },
    ],
  },
  { method: 'DELETE', path: '/workflows/{id}', who: 'admin', owned: true, ask: fresh, answers: { status: 204 } },
  {
    method: 'POST',
    path: '/workflows/{id}/build',
    who: 'admin',
    owned: true,
    ask: fresh,
    answers: { status: 202, body: shapes.workflow },
  },
]);

export const workflowCredentialRows = areaRows('Workflow Credentials', [
  {
    method: 'GET',
    path: '/workflows/{id}/credentials',
    who: 'user',
    owned: true,
    ask: ours,
    answers: { status: 200, body: shapes.data(shapes.workflowCredential) },
  },
]);

const ofRevision =
  (more: object): MakeAsk =>
  ({ workflow: { id } }) => ({ params: { id, ...more } });
/** A workflow at revision 2. */
const revised: MakeAsk = async (world) => {
  const { id } = await world.makeWorkflow();
  await world.rest('PATCH', `/workflows/${id}`, { body: { blob: makeBlob(node('a', 'set', { values: {} })) } });
  return { params: { id, n: 1 } };
};

export const revisionRows = areaRows('Workflow Revisions', [
  {
    method: 'GET',
    path: '/workflows/{id}/revisions',
    who: 'user',
    owned: true,
    ask: ours,
    answers: { status: 200, body: z.looseObject({ data: z.array(shapes.revisionRow).min(2) }) },
  },
  {
    method: 'GET',
    path: '/workflows/{id}/revisions/{n}',
    who: 'user',
    owned: true,
    ask: ofRevision({ n: 1 }),
    answers: { status: 200, body: shapes.revision },
    refuses: [
      { when: 'there is no such revision', ask: ofRevision({ n: 99 }), status: 404, body: notFound },
      { when: 'the revision is not an integer', ask: ofRevision({ n: 'first' }), status: 404, body: notFound },
    ],
  },
  {
    method: 'GET',
    path: '/workflows/{id}/revisions/{n}/diff/{m}',
    who: 'user',
    owned: true,
    ask: ofRevision({ n: 1, m: 2 }),
    answers: { status: 200, body: z.looseObject({ nodes: z.looseObject({}), edges: z.looseObject({}) }) },
    refuses: [{ when: 'there is no such revision', ask: ofRevision({ n: 1, m: 99 }), status: 404, body: notFound }],
  },
  {
    method: 'POST',
    path: '/workflows/{id}/revisions/{n}/restore',
    who: 'admin',
    owned: true,
    ask: revised,
    answers: { status: 200, body: shapes.workflow.extend({ revision: z.literal(3) }) },
    refuses: [
      {
        when: 'there is no such revision',
        ask: async (world) => {
          const { params } = await revised(world);
          return { params: { ...params, n: 7 } };
        },
        status: 404,
        body: notFound,
      },
    ],
  },
]);

const ourTrigger: MakeAsk = ({ workflow: { id, triggerId } }) => ({ params: { id, triggerId } });
const freshTrigger: MakeAsk = async ({ makeUnbuilt }) => {
  const { id, triggerId } = await makeUnbuilt('manual');
  return { params: { id, triggerId } };
};

export const triggerRows = areaRows('Triggers', [
  {
    method: 'GET',
    path: '/workflows/{id}/triggers',
    who: 'user',
    owned: true,
    ask: ours,
    answers: { status: 200, body: shapes.data(shapes.trigger) },
  },
  ...(['manual', 'webhook', 'event', 'schedule'] as const).map((type) => ({
    method: 'POST' as const,
    path: '/workflows/{id}/triggers',
    who: 'admin' as const,
    owned: true,
    ask: (async (world) => ({
      ...(await fresh(world)),
      body: {
        type,
        name: type,
        config: { event: { topic: 'order.created' }, schedule: { cron: '*/5 * * * *' } }[type as 'event'],
      },
    })) satisfies MakeAsk,
    answers: { status: 201, body: shapes.trigger.extend({ type: z.literal(type) }) },
    refuses: [
      {
        when: 'the type does not exist',
        ask: (async (world) => ({ ...(await fresh(world)), body: { type: 'timer', name: 'x' } })) satisfies MakeAsk,
        status: 422,
        body: invalid('type'),
      },
      ...(type === 'schedule'
        ? [
            {
              when: 'the zone does not exist',
              ask: (async (world) => ({
                ...(await fresh(world)),
                body: { type, name: 'x', config: { cron: '0 3 * * *', timezone: 'Mars/Olympus' } },
              })) satisfies MakeAsk,
              status: 422,
              body: invalid('config.timezone'),
            },
          ]
        : []),
    ],
  })),
  {
    method: 'GET',
    path: '/workflows/{id}/triggers/{triggerId}',
    who: 'user',
    owned: true,
    ask: ourTrigger,
    answers: { status: 200, body: shapes.trigger },
  },
  {
    method: 'PATCH',
    path: '/workflows/{id}/triggers/{triggerId}',
    who: 'admin',
    owned: true,
    ask: async (world) => ({ ...(await freshTrigger(world)), body: { name: 'Renamed', handle: 'not taken' } }),
    answers: { status: 200, body: shapes.trigger.extend({ name: z.literal('Renamed') }) },
    limits: [
      {
        what: 'a name of 191 characters',
        field: 'name',
        edge: async (world) => ({ ...(await freshTrigger(world)), body: { name: text(191) } }),
        past: async (world) => ({ ...(await freshTrigger(world)), body: { name: text(192) } }),
      },
    ],
  },
  {
    method: 'DELETE',
    path: '/workflows/{id}/triggers/{triggerId}',
    who: 'admin',
    owned: true,
    ask: freshTrigger,
    answers: { status: 204 },
  },
]);

export const scheduleRows = areaRows('Schedules', [
  { method: 'GET', path: '/schedules', who: 'user', answers: { status: 200, body: shapes.data(shapes.schedule) } },
]);
