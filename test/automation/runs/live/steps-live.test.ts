import { expect } from 'vitest';
import { type Receiver, startReceiver } from '#test/chaos/receiver.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { connect, type Message, ofOperation, subscribe } from '#test/setup/live.ts';

const document = `subscription ($runId: ID!) { stepUpdated(runId: $runId) {
  path attempt status node version inputs outputs error startedAt completedAt durationMs } }`;
type Step = Record<string, unknown>;
const listSteps = (messages: Message[]): Step[] =>
  ofOperation(messages, '1').flatMap(({ payload }) => payload?.data?.['stepUpdated'] ?? []) as Step[];
const isOver = (messages: Message[]): boolean => ofOperation(messages, '1').some(({ type }) => type === 'complete');
const seen = (messages: Message[]): string[] =>
  listSteps(messages).map(({ path, status }) => `${String(path)} ${String(status).toLowerCase()}`);

let receiver: Receiver;
test.beforeAll(async ({ startEngine }) => {
  receiver = await startReceiver();
  await startEngine({ allow: receiver.address });
});
test.afterAll(() => receiver.close());

test('stepUpdated reports each slow step as it starts and as it ends, and completes with the run', async ({ api }) => {
  receiver.latencyMs = 300;
  const names = ['first', 'second', 'third'];
  const workflow = await readyWorkflow(api, {
    nodes: [
      ...names.map((id) => node(id, 'http-request', { method: 'POST', url: `${receiver.url}/{{ run.id }}-${id}` })),
      node('last', 'set', { values: { done: true } }),
    ],
    edges: chain(...names, 'last'),
  });
  const runId = await fireRun(api, workflow);
  const client = await connect(api);
  subscribe(client, '1', document, { runId });
  await client.until((messages) => isOver(messages));
  expect(seen(client.messages)).toEqual([
    'first running',
    'first succeeded',
    'second running',
    'second succeeded',
    'third running',
    'third succeeded',
    'last succeeded',
  ]);
  const [started, ended] = listSteps(client.messages);
  const given = { method: 'POST', url: `${receiver.url}/${runId}-first` };
  expect(started).toMatchObject({ node: 'core:http-request', version: '1.0.0', attempt: 1, completedAt: null });
  expect(started).toMatchObject({ inputs: given, outputs: null, durationMs: null });
  expect(ended).toMatchObject({ inputs: given, startedAt: started?.['startedAt'] });
  expect(ended?.['durationMs']).toBeGreaterThanOrEqual(290);

  // A later subscriber gets the stored state.
  const late = await connect(api);
  subscribe(late, '1', document, { runId });
  await late.until((messages) => isOver(messages));
  expect(seen(late.messages)).toEqual([...names, 'last'].map((id) => `${id} succeeded`));
  client.socket.close();
  late.socket.close();
});

test('steps within one millisecond are in the order of their start, over REST and live', async ({ api }) => {
  const ids = Array.from({ length: 40 }, (_, number) => `step-${99 - number}`);
  const workflow = await readyWorkflow(api, {
    nodes: ids.map((id) => node(id, 'set', { values: { id } })),
    edges: chain(...ids),
  });
  const runId = await fireRun(api, workflow);
  await untilRun(api, runId);
  const shown = await call(api, 'GET', `/runs/${runId}`);
  expect(shown.body).toMatchObject({ steps: ids.map((id) => ({ node_id: id })) });
  const client = await connect(api);
  subscribe(client, '1', document, { runId });
  await client.until((messages) => isOver(messages));
  expect(seen(client.messages)).toEqual(ids.map((id) => `${id} succeeded`));
  client.socket.close();
});

test('runUpdated of a run yields it with each change of a step if steps are selected', async ({ api }) => {
  receiver.latencyMs = 200;
  const workflow = await readyWorkflow(api, {
    nodes: [node('call', 'http-request', { method: 'POST', url: `${receiver.url}/{{ run.id }}` })],
  });
  const runId = await fireRun(api, workflow);
  const client = await connect(api);
  subscribe(client, '1', 'subscription ($id: ID) { runUpdated(id: $id) { status steps { status } } }', { id: runId });
  await client.until((messages) => isOver(messages));
  const states = ofOperation(client.messages, '1').flatMap(({ payload }) => {
    const run = payload?.data?.['runUpdated'] as { status: string; steps: { status: string }[] } | undefined;
    return run ? `${run.status} ${run.steps.map(({ status }) => status).join()}`.toLowerCase() : [];
  });
  expect(states).toContain('running running');
  expect(states.at(-1)).toBe('succeeded succeeded');
  client.socket.close();
});

const called = () => node('step', 'http-request', { method: 'POST', url: `${receiver.url}/{{ run.id }}` });
test.for([
  ['was running', called],
  ['was waiting', () => node('step', 'wait', { resume: true })],
] as const)('a step that %s when its run was cancelled ends with it', async ([doing, step], { api }) => {
  receiver.latencyMs = 20_000;
  const workflow = await readyWorkflow(api, { nodes: [step()] });
  const runId = await fireRun(api, workflow);
  const client = await connect(api);
  subscribe(client, '1', document, { runId });
  await client.until((messages) => seen(messages).includes(doing.replace('was', 'step')));
  const { data } = await api.graphql<Record<string, unknown>>(
    'mutation ($input: CancelRunInput!) { cancelRun(input: $input) { __typename } }',
    {
      input: { id: runId },
    },
  );
  expect(data).toEqual({ cancelRun: { __typename: 'CancelRunPayload' } });
  await untilRun(api, runId, 'cancelled');
  await client.until((messages) => isOver(messages));
  expect(listSteps(client.messages).at(-1)).toMatchObject({
    status: expect.stringMatching(/failed/i),
    error: { code: 'INTERRUPTED' },
  });
  client.socket.close();
});

test('stepUpdated of another tenant’s run is not found', async ({ api }) => {
  const client = await connect(api);
  subscribe(client, '1', document, { runId: 999_999 });
  await client.until((messages) => ofOperation(messages, '1').some(({ type }) => type === 'error' || type === 'next'));
  expect(JSON.stringify(client.messages)).toContain('NOT_FOUND');
  client.socket.close();
});
