import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import { expect } from 'vitest';
import type { TriggerType } from '#prisma/enums.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call, type RestAnswer } from '#test/rest-compat/rest.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import type { Engine } from '#workers/engine/engine.ts';

export const operator: Caller = { roles: ['operator'], tenant: null };
export const gzip = { 'content-type': 'application/gzip' };
export const uploadPath = '/admin/orgs/acme/node-packages';

/** A tenant with something of everything, and makers of what a request uses up. */
export interface World {
  api: TestApp;
  engine: Engine;
  /** Answers 200 to whatever is asked. */
  receiver: string;
  rest: (
    method: string,
    path: string,
    options?: { as?: Caller; body?: unknown; headers?: Record<string, string> },
  ) => Promise<RestAnswer>;
  /** A workflow with a manual trigger, two revisions, runs and a credential that its node names. */
  workflow: { id: number; triggerId: number; handle: string };
  runId: number;
  deadLetterId: number;
  credentialId: number;
  /** Signed link to an image of a package. */
  image: URL;
  name: (stem: string) => string;
  makeWorkflow: (
    kind?: 'echoing' | 'failing' | 'waiting',
    type?: TriggerType,
  ) => Promise<{ id: number; handle: string }>;
  /** Makes one by the API: unbuilt for a moment, as the test has no builder. */
  makeUnbuilt: (trigger: 'manual' | 'webhook') => Promise<{ id: number; handle: string; triggerId: number }>;
  makeRun: (kind: 'echoing' | 'failing' | 'waiting') => Promise<{ id: number; workflowId: number; token?: string }>;
  makeDeadLetter: () => Promise<{ id: number; workflowId: number }>;
  /** Waits until no run is under way, so that what is read twice is the same. */
  quiet: () => Promise<void>;
  makeCredential: (type?: string) => Promise<number>;
  makeNode: (code?: string) => Promise<{ slug: string; version: string }>;
  archive: (label?: string, name?: string) => Buffer;
  close: () => Promise<void>;
}

const nodes = {
  echoing: [node('echo', 'set', { values: { seen: '{{ trigger.payload }}' } })],
  failing: [node('fail', 'fail', { message: 'No.' })],
  waiting: [node('hold', 'wait', { resume: true })],
};
const manual = { type: 'manual', name: 'By hand' };

async function startReceiver(): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export async function makeWorld(api: TestApp): Promise<World> {
  const { server, address } = await startReceiver();
  api.egressAllow.add(address);
  const engine = await startTestEngine(api, { allow: address });
  let count = 0;
  const name = (stem: string) => `${stem}-${(count += 1)}`;
  const rest: World['rest'] = async (method, path, options) => {
    const answer = await call(api, method, path, options);
    if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer;
  };
  const readId = ({ body }: RestAnswer) => Number(body['id']);

  const archive: World['archive'] = (label = 'made', packageName = name('contract-nodes')) =>
    packageArchive({
      name: packageName,
      namespace: packageName,
      nodes: [
        { name: 'echo', version: '1.0.0', code: 'export const execute = ({ config }) => ({ outputs: config });' },
      ],
      more: { 'README.md': label },
    });
  const upload = (body: Buffer) => rest('POST', uploadPath, { as: operator, body, headers: gzip });

  const makeWorkflow: World['makeWorkflow'] = async (kind = 'echoing', type = 'manual') => {
    const { workflowId: id, handle } = await readyWorkflow(api, { nodes: nodes[kind] }, { type });
    return { id, handle };
  };
  const makeUnbuilt: World['makeUnbuilt'] = async (type) => {
    const id = readId(await rest('POST', '/workflows', { body: { name: name('Unbuilt') } }));
    const { body } = await rest('POST', `/workflows/${id}/triggers`, { body: { ...manual, type } });
    return { id, handle: String(body['handle']), triggerId: Number(body['id']) };
  };
  const makeRun: World['makeRun'] = async (kind) => {
    const { id: workflowId } = await makeWorkflow(kind);
    const id = readId(await rest('POST', `/workflows/${workflowId}/runs`, { body: { payload: { n: 1 } } }));
    const wanted = { echoing: 'succeeded', failing: 'failed', waiting: 'waiting' }[kind];
    const { steps } = await untilRun(api, id, wanted);
    const token = steps[0]?.resume_token;
    return { id, workflowId, ...(token && { token }) };
  };
  const makeDeadLetter: World['makeDeadLetter'] = async () => {
    const { id: workflowId, handle } = await makeWorkflow('echoing', 'webhook');
    await rest('PATCH', `/workflows/${workflowId}`, { body: { active: false } });
    const { body } = await rest('POST', `/webhooks/${handle}`, { body: { n: 1 } });
    await rest('PATCH', `/workflows/${workflowId}`, { body: { active: true } });
    return { id: Number(body['dead_letter_id']), workflowId };
  };
  const configs: Record<string, object> = {
    'core:bearer': { token: 'contract-token', test_url: `http://${address}/health` },
    'core:oauth2': {
      authorize_url: `http://${address}/authorize`,
      token_url: `http://${address}/token`,
      client_id: 'causeway',
      client_secret: 'contract-client-secret',
    },
  };
  const makeCredential: World['makeCredential'] = async (type = 'core:bearer') =>
    readId(
      await rest('POST', '/credentials', {
        body: { credential_type_slug: type, name: name('Credential'), config: configs[type] },
      }),
    );

  const erpNodes = fileURLToPath(new URL('../../examples/erp-nodes', import.meta.url));
  await rest('POST', uploadPath, { as: operator, body: await packNodePackage(erpNodes), headers: gzip });
  const { body: types } = await rest('GET', '/credential-types');
  const icon = (types['data'] as unknown as { icon: string | null }[]).find((type) => type.icon !== null)?.icon;

  const credentialId = await makeCredential();
  const blob = {
    version: 'v1',
    nodes: [node('call', 'http-request', { url: `http://${address}/`, credential: credentialId })],
    edges: [],
    state: { namespaces: { orders: 'read_write' } },
  };
  const { id } = await makeWorkflow();
  await rest('PATCH', `/workflows/${id}`, { body: { blob } });
  const trigger = await rest('POST', `/workflows/${id}/triggers`, {
    body: { ...manual, name: 'Nightly', type: 'schedule', config: { cron: '0 3 * * *' } },
  });
  await rest('PUT', '/state/orders/entries/last', { body: { value: { number: 1 } } });
  await rest('PUT', '/secrets/TOKEN', { body: { value: 'contract-secret' } });
  const run = await makeRun('echoing');
  const letter = await makeDeadLetter();

  return {
    api,
    engine,
    receiver: address,
    rest,
    workflow: { id, triggerId: readId(trigger), handle: String(trigger.body['handle']) },
    runId: run.id,
    deadLetterId: letter.id,
    credentialId,
    image: new URL(icon ?? ''),
    name,
    makeWorkflow,
    makeUnbuilt,
    makeRun,
    makeDeadLetter,
    async quiet() {
      const underWay = () =>
        api.database.system.query(`SELECT id, status FROM runs WHERE status IN ('queued', 'running')`);
      await expect.poll(async () => (await underWay()).rows, { timeout: 60_000, interval: 10 }).toEqual([]);
    },
    makeCredential,
    async makeNode(code) {
      const packageName = name('contract-one');
      const archiveOfOne = packageArchive({
        name: packageName,
        namespace: packageName,
        nodes: [{ name: 'node', version: '1.0.0', ...(code !== undefined && { code }) }],
      });
      await upload(archiveOfOne);
      return { slug: `${packageName}:node`, version: '1.0.0' };
    },
    archive,
    async close() {
      await engine.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}
