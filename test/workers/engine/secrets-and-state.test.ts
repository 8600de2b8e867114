import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { openState } from '#src/automation/state/state-store.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

const canary = 'canary-secret-4711';

let api: TestApp;
/** Keeps the headers it was sent. */
let receiver: Server;
const received: Record<string, unknown>[] = [];
let url: string;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  receiver = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sent: request.headers }));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  url = `http://${host}/`;
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
  await startEngine({ allow: host });
});
afterAll(async () => {
  receiver.close();
});

const archive = packageArchive({
  name: 'counting-nodes',
  namespace: 'counting',
  nodes: [
    {
      name: 'add',
      version: '1.0.0',
      code: `export const execute = async ({ state }) => {
        let lost = 0;
        for (let done = 0; done < 25; ) {
          const found = await state.get('counters', 'n');
          try {
            await state.set('counters', 'n', (found?.value ?? 0) + 1, { expectedVersion: found?.version ?? null });
            done += 1;
          } catch (error) {
            if (error.code !== 'STATE_CONFLICT') throw error;
            lost += 1;
          }
        }
        return { outputs: { lost } };
      };`,
    },
    {
      name: 'keep',
      version: '1.0.0',
      manifest: { config: [{ key: 'secret', type: 'expression' }] },
      code: `export const execute = async ({ config, state }) => ({
        outputs: { said: await state.set('own', 'kept', { it: config.secret }).catch((error) => error.code) },
      });`,
    },
    {
      name: 'send',
      version: '1.0.0',
      manifest: { config: [{ key: 'secret', type: 'expression' }] },
      code: `export const execute = async ({ config, http }) => {
        const said = (headers) =>
          http.request({ url: 'http://shop.invalid/', headers, timeoutMs: 2000 }).catch((error) => error.code);
        return { outputs: { secret: await said({ 'x-key': config.secret }), plain: await said({}) } };
      };`,
    },
    {
      name: 'probe',
      version: '1.0.0',
      manifest: {
        config: [
          { key: 'call', type: 'string' },
          { key: 'secret', type: 'expression' },
        ],
      },
      code: `export const execute = async ({ config, state, log }) => {
        log.info('secret', config.secret ?? 'none');
        const said = {};
        for (const [name, work] of Object.entries({
          read: () => state.get('shared', 'a'),
          write: () => state.set('shared', 'a', 1),
          remove: () => state.delete('shared', 'a'),
          foreign: () => state.get('counters', 'n'),
          first: () => state.set('own', 'first', 1, { expectedVersion: null }),
          again: () => state.set('own', 'first', 2, { expectedVersion: null }),
          brief: () => state.set('own', 'brief', 1, { ttlSeconds: 60 }),
          huge: () => state.set('own', 'huge', 'x'.repeat(300000)),
          long: () => state.get('own', 'k'.repeat(513)),
        })) said[name] = await work().catch((error) => error.code);
        return { outputs: { said, secret: config.secret, nothing: config.secret === undefined } };
      };`,
    },
  ],
});

let counter = 0;
/** Makes and builds a workflow as users do. */
async function built(nodes: object[], state: object) {
  counter += 1;
  const blob = { version: 'v1', nodes, edges: [], state: { namespaces: state } };
  const made = await call(api, 'POST', '/workflows', { body: { name: `Built ${counter}`, blob } });
  expect(made.status).toBe(201);
  const workflowId = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
  const body = { type: 'webhook', name: 'x' };
  const { body: trigger } = await call(api, 'POST', `/workflows/${workflowId}/triggers`, { body });
  return { tenantId: 'acme-shop', workflowId, handle: String(trigger['handle']) };
}
const store = (...names: string[]) =>
  openState(api.deps, 'acme-shop', Object.fromEntries(names.map((name) => [name, 'read_write' as const])));
const packaged = (name: string, config: object = {}) => ({
  id: name,
  node: `counting:${name}`,
  version: '1.0.0',
  config,
});
const putSecret = async (key: string, value: string) =>
  expect((await call(api, 'PUT', `/secrets/${key}`, { body: { value } })).status).toBeLessThan(300);

describe('state', () => {
  test('passes from run to run through core:state-set and core:state-get', async () => {
    const where = { namespace: 'orders', key: 'last/{{ trigger.payload.shop }}' };
    const workflow = await readyWorkflow(api, {
      nodes: [
        node('before', 'state-get', { ...where, default: 'none' }),
        node('write', 'state-set', { ...where, value: '{{ trigger.payload.order }}', ttl_seconds: 60 }),
      ],
      edges: chain('before', 'write'),
      state: { namespaces: { orders: 'read_write' } },
    });
    const outputs = async (order: unknown) => {
      const ended = await untilRun(api, await fireRun(api, workflow, { shop: 'a/b', order }));
      expect(ended.status).toBe('succeeded');
      return ended.steps.map((step) => step.outputs);
    };
    expect(await outputs({ id: 1 })).toEqual([{ value: 'none', version: 0, found: false }, { version: 1 }]);
    expect(await outputs({ id: 2 })).toEqual([{ value: { id: 1 }, version: 1, found: true }, { version: 2 }]);
    const seen = await call(api, 'GET', `/state/orders/entries/${encodeURIComponent('last/a/b')}`);
    expect(seen.body).toMatchObject({ value: { id: 2 }, version: 2, expires_at: expect.any(String) });
  });

  test('counted by many concurrent runs with compare-and-set loses nothing', async () => {
    const where = { namespace: 'counters', key: 'core' };
    const workflow = await readyWorkflow(api, {
      nodes: [
        node('read', 'state-get', { ...where, default: 0 }),
        node('write', 'state-set', {
          ...where,
          value: '{{ nodes.read.outputs.value + 1 }}',
          version: '{{ nodes.read.outputs.version }}',
        }),
      ],
      edges: chain('read', 'write'),
      state: { namespaces: { counters: 'read_write' } },
    });
    const ids = await Promise.all(Array.from({ length: 30 }, () => fireRun(api, workflow)));
    const ends = await Promise.all(ids.map((id) => untilRun(api, id)));
    const succeeded = ends.filter(({ status }) => status === 'succeeded').length;
    for (const { status, steps } of ends) {
      if (status !== 'succeeded') expect(steps.at(-1)?.error).toMatchObject({ code: 'STATE_CONFLICT' });
    }
    expect(succeeded).toBeGreaterThan(0);
    expect(await store('counters').get('counters', 'core')).toEqual({ value: succeeded, version: succeeded });
  });

  test('counted by two runs of package code with retries loses nothing', async () => {
    const workflow = await built([packaged('add')], { counters: 'read_write' });
    const ids = await Promise.all([1, 2].map(() => fireRun(api, workflow)));
    const ends = await Promise.all(ids.map((id) => untilRun(api, id)));
    expect(ends.map(({ status, error }) => [status, error])).toEqual([
      ['succeeded', null],
      ['succeeded', null],
    ]);
    expect(await store('counters').get('counters', 'n')).toEqual({ value: 50, version: 50 });
  });

  test('gives package code only the namespaces that its workflow declares, and refuses others with the reason', async () => {
    await store('shared').set({ namespace: 'shared', key: 'a', value: { seen: true } });
    const workflow = await built([packaged('probe')], { shared: 'read', own: 'read_write' });
    const ended = await untilRun(api, await fireRun(api, workflow));
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: {
        probe: {
          said: {
            read: { value: { seen: true }, version: 1 },
            write: 'STATE_READ_ONLY',
            remove: 'STATE_READ_ONLY',
            foreign: 'STATE_NOT_DECLARED',
            first: { version: 1 },
            again: 'STATE_CONFLICT',
            brief: { version: 1 },
            huge: 'INVALID_STATE',
            long: 'INVALID_ARGUMENT',
          },
        },
      },
    });
    const { body } = await call(api, 'GET', '/state/own/entries/brief');
    expect(body['expires_at']).toEqual(expect.any(String));
  });

  test('that a workflow does not declare fails the step, without retries', async () => {
    const workflow = await readyWorkflow(api, {
      nodes: [node('a', 'state-get', { namespace: 'nobody', key: 'k' }, { retry: { limit: 3, delay_ms: 1 } })],
    });
    const ended = await untilRun(api, await fireRun(api, workflow));
    expect(ended).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('does not declare the namespace nobody'),
    });
    expect(ended.steps).toMatchObject([{ attempt: 1, error: { code: 'STATE_NOT_DECLARED' } }]);
  });
});

describe('secrets', () => {
  test('reach the node that names them, but no record', async () => {
    await putSecret('ERP_TOKEN', canary);
    const workflow = await readyWorkflow(api, {
      nodes: [
        node('call', 'http-request', { url, headers: { authorization: 'Bearer {{ secrets.ERP_TOKEN }}' } }),
        node('echo', 'set', {
          values: {
            plain: '{{ secrets.ERP_TOKEN }}',
            mapped: '{{ "x" & secrets.ERP_TOKEN & "y" }}',
            list: ['{{ secrets.ERP_TOKEN }}'],
          },
        }),
        node('no', 'fail', { message: 'Refused with {{ secrets.ERP_TOKEN }}' }),
      ],
      edges: chain('call', 'echo', 'no'),
    });
    const id = await fireRun(api, workflow);
    const ended = await untilRun(api, id);
    expect(ended).toMatchObject({ status: 'failed', error: 'no: Refused with [redacted]' });
    expect(received.at(-1)).toMatchObject({ authorization: `Bearer ${canary}` });
    expect(ended.steps.find(({ path }) => path === 'echo')?.outputs).toEqual({
      plain: '[redacted]',
      mapped: '[redacted]',
      list: ['[redacted]'],
    });
    const shown = await call(api, 'GET', `/runs?workflow_id=${workflow.workflowId}`);
    expect(JSON.stringify([ended, shown.text])).not.toContain(canary);
    expect(api.logLines.join('')).not.toContain(canary);
  });

  test('in the config of package code are kept out of its logs and outputs', async () => {
    const workflow = await built([packaged('probe', { secret: '{{ secrets.ERP_TOKEN }}' })], { own: 'read_write' });
    const ended = await untilRun(api, await fireRun(api, workflow));
    expect(ended).toMatchObject({ status: 'succeeded', result: { probe: { secret: '[redacted]', nothing: false } } });
    const { rows } = await api.database.system.query('SELECT message FROM run_log_lines');
    expect(rows.map(({ message }) => message)).toContain('secret [redacted]');
    expect(JSON.stringify([ended, rows])).not.toContain(canary);
  });

  test('are redacted in derived values, wherever those return', async () => {
    await putSecret('PW', 'swordfish-42');
    const authorization = 'Basic {{ $base64encode("user:" & secrets.PW) }}';
    const workflow = await readyWorkflow(api, {
      nodes: [
        node('call', 'http-request', {
          url,
          headers: { authorization, 'x-half': '{{ $substring(secrets.PW, 0, 5) }}' },
        }),
        node('set', 'set', {
          values: {
            split: '{{ $split(secrets.PW, "") }}',
            words: '{{ $split(secrets.PW, "-") }}',
            upper: 'in {{ $uppercase(secrets.PW) }} letters',
            merged: '{{ $merge([trigger.payload, {"pw": $substringBefore(secrets.PW, "-")}]) }}',
            chosen: '{{ secrets.PW = "x" ? "first" : "second" }}',
            long: '{{ $length(secrets.PW) > 5 }}',
          },
        }),
      ],
      edges: chain('call', 'set'),
    });
    const ended = await untilRun(api, await fireRun(api, workflow, { order: 'kept whole' }));
    expect(received.at(-1)).toMatchObject({ authorization: `Basic ${btoa('user:swordfish-42')}`, 'x-half': 'sword' });
    const [sent, set] = ended.steps.map((step) => step.outputs as { body: { sent: object } });
    expect(sent?.body.sent).toMatchObject({ authorization: 'Basic [redacted]', 'x-half': '[redacted]' });
    expect(set).toEqual({
      split: Array.from({ length: 12 }, () => '[redacted]'),
      words: ['[redacted]', '[redacted]'],
      upper: 'in [redacted] letters',
      merged: { order: 'kept whole', pw: '[redacted]' },
      chosen: 'second',
      long: true,
    });
  });

  test.for([
    ['a header', { headers: { authorization: 'Bearer {{ secrets.ERP_TOKEN }}' } }],
    ['the query', { query: { half: '{{ $substring(secrets.ERP_TOKEN, 0, 9) }}' } }],
    ['the body', { method: 'POST', body: { token: ['{{ secrets.ERP_TOKEN }}'] } }],
  ] as const)('in %s are sent to no plain http host that is not allowed', async ([, config]) => {
    await putSecret('ERP_TOKEN', canary);
    const plain = { url: 'http://shop.invalid/', timeout_ms: 2_000 };
    const stepsWith = async (given: object) => {
      const workflow = await readyWorkflow(api, { nodes: [node('call', 'http-request', given)] });
      return (await untilRun(api, await fireRun(api, workflow))).steps;
    };
    const refused = [{ error: { code: 'HTTP_REFUSED_PROTOCOL' } }];
    expect(await stepsWith({ ...plain, ...config })).toMatchObject(refused);
    // Without a secret, the request is sent, and fails on its way.
    expect(await stepsWith(plain)).not.toMatchObject(refused);
  });

  test('are redacted in the branch of a step, unless an edge names it', async () => {
    await putSecret('BRANCH', 'swordfish');
    const cases = [{ equals: 1, branch: '{{ secrets.BRANCH }}' }];
    const branchesWith = async (edges: object[]) => {
      const nodes = [node('pick', 'switch', { value: 1, cases }), node('then', 'set', { values: {} })];
      const ended = await untilRun(api, await fireRun(api, await readyWorkflow(api, { nodes, edges })));
      return ended.steps.map(({ path, status, branch }) => [path, status, branch]);
    };
    const edge = (branch: string) => ({ from: { node: 'pick', branch }, to: 'then' });
    expect(await branchesWith([edge('default')])).toEqual([
      ['pick', 'succeeded', '[redacted]'],
      ['then', 'skipped', null],
    ]);
    expect(await branchesWith([edge('swordfish')])).toEqual([
      ['pick', 'succeeded', 'swordfish'],
      ['then', 'succeeded', 'default'],
    ]);
  });

  const write = (entry: object) => node('write', 'state-set', { namespace: 'guarded', ...entry });
  test.for([
    ['STATE', 'a key', write({ key: 'of {{ secrets.ERP_TOKEN }}', value: 1 })],
    ['STATE', 'a value', write({ key: 'k', value: ['Bearer {{ secrets.ERP_TOKEN }}'] })],
    ['STATE', 'a derived value', write({ key: 'k', value: '{{ $base64encode("a:" & secrets.ERP_TOKEN) }}' })],
    ['TOPIC', 'a topic', node('emit', 'emit-event', { topic: '{{ $substring(secrets.ERP_TOKEN, 0, 8) }}.made' })],
  ] as const)('are refused (%s) in %s', async ([code, , refusing]) => {
    await putSecret('ERP_TOKEN', canary);
    const blob = { nodes: [refusing], state: { namespaces: { guarded: 'read_write' as const } } };
    const ended = await untilRun(api, await fireRun(api, await readyWorkflow(api, blob)));
    expect(ended).toMatchObject({ status: 'failed', steps: [{ error: { code: `SECRET_IN_${code}` } }] });
    const kept = 'SELECT topic FROM outbox_events UNION SELECT key || value FROM state_entries';
    expect(JSON.stringify([ended, (await api.database.system.query(kept)).rows])).not.toContain('canary');
  });

  test('are sent by package code to no plain http host that is not allowed', async () => {
    const workflow = await built([packaged('send', { secret: '{{ secrets.ERP_TOKEN }}' })], {});
    const { result } = await untilRun(api, await fireRun(api, workflow));
    const sent = { secret: 'HTTP_REFUSED_PROTOCOL', plain: expect.not.stringContaining('REFUSED') };
    expect(result).toMatchObject({ send: sent });
  });

  test('are refused when package code writes them to the state store', async () => {
    const workflow = await built([packaged('keep', { secret: '{{ secrets.ERP_TOKEN }}' })], { own: 'read_write' });
    const ended = await untilRun(api, await fireRun(api, workflow));
    expect(ended).toMatchObject({ status: 'succeeded', result: { keep: { said: 'SECRET_IN_STATE' } } });
  });

  test('that do not exist fail the step with their name', async () => {
    const workflow = await readyWorkflow(api, {
      nodes: [node('a', 'set', { values: { x: '{{ secrets.NOT_THERE }}' } })],
    });
    const ended = await untilRun(api, await fireRun(api, workflow));
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('There is no secret NOT_THERE') });
  });

  test('of another tenant do not exist', async () => {
    const workflow = await readyWorkflow(
      api,
      { nodes: [node('a', 'set', { values: { x: '{{ secrets.ERP_TOKEN }}' } })] },
      { tenantId: 'acme-outlet' },
    );
    const ended = await untilRun(api, await fireRun(api, workflow));
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('There is no secret ERP_TOKEN') });
  });

  test('that were altered fail the run, with an alarm in the log and nothing opened', async () => {
    await putSecret('ALTERED', canary);
    await api.database.withTenant('acme-shop', async (tx) => {
      const where = { tenantId_key: { tenantId: 'acme-shop', key: 'ALTERED' } };
      const { value } = await tx.tenantSecret.findUniqueOrThrow({ where });
      value[20] = (value[20] as number) ^ 1;
      await tx.tenantSecret.update({ where, data: { value } });
    });
    const workflow = await readyWorkflow(api, {
      nodes: [node('a', 'set', { values: { x: '{{ secrets.ALTERED }}' } })],
    });
    const before = api.logLines.length;
    const ended = await untilRun(api, await fireRun(api, workflow));
    expect(ended).toMatchObject({ status: 'failed', error: 'Server Error', result: null });
    const alarms = api.logLines.slice(before).filter((line) => line.includes('"alarm":"unreadable_ciphertext"'));
    expect(alarms).toHaveLength(1);
  });
});
