import { beforeEach, describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { openState } from '#src/automation/state/state-store.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { readyWorkflow } from '#test/setup/engine.ts';

const canary = 'canary "quoted" 4711';

let api: TestApp;
let workflowId: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  const archive = packageArchive({
    name: 'scope',
    namespace: 'scope',
    nodes: [
      {
        name: 'echo',
        version: '1.0.0',
        code: `export const execute = ({ config, log }) => { log.info('given', config.a); return { outputs: config }; };`,
      },
      {
        name: 'throws',
        version: '1.0.0',
        code: `export const execute = ({ config }) => { throw Object.assign(new Error('No: ' + config.a), { code: 'NO' }); };`,
      },
      {
        name: 'state',
        version: '1.0.0',
        code: `export const execute = async ({ state }) => ({ outputs: {
          read: await state.get('shared', 'k').catch((error) => error.code),
          write: await state.set('shared', 'k', 2).catch((error) => error.code),
          remove: await state.delete('shared', 'k').catch((error) => error.code),
          other: await state.get('other', 'k').catch((error) => error.code),
        } });`,
      },
    ],
  });
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
  const workflow = await readyWorkflow(api, { nodes: [], state: { namespaces: { shared: 'read_write' } } });
  workflowId = workflow.workflowId;
});
beforeEach(async () => {
  for (const [key, value] of [
    ['TOKEN', canary],
    ['PIN', '4711471147'],
  ] as const) {
    await call(api, 'PUT', `/secrets/${key}`, { body: { value } });
  }
});

const execute = (slug: string, body: object, as: Caller = {}) =>
  call(api, 'POST', `/nodes/${slug}/latest/execute:test`, { body, as });

describe('a test of a node', () => {
  test('sees the secrets of its tenant, and returns none of them', async () => {
    const values = { a: '{{ secrets.TOKEN }}', b: 'Bearer {{ secrets.TOKEN }}', c: '{{ $number(secrets.PIN) }}', d: 1 };
    const clean = { a: '[redacted]', b: 'Bearer [redacted]', c: '[redacted]', d: 1 };
    const core = await execute('core:set', { config: { values } });
    expect(core).toMatchObject({ status: 200, body: { outputs: clean } });
    const packaged = await execute('scope:echo', { config: values });
    expect(packaged).toMatchObject({
      status: 200,
      body: { outputs: clean, logs: [{ level: 'info', message: 'given [redacted]' }] },
    });
    const thrown = await execute('scope:throws', { config: values });
    expect(thrown).toMatchObject({ status: 422, body: { error: { code: 'NO', message: 'No: [redacted]' } } });
    const failed = await execute('core:fail', { config: { message: 'Not {{ secrets.TOKEN }}' } });
    expect(failed).toMatchObject({ status: 422, body: { error: { message: 'Not [redacted]' } } });
    const emitted = await execute('core:emit-event', { config: { topic: 'a.b', data: '{{ secrets.TOKEN }}' } });
    expect(emitted).toMatchObject({
      status: 200,
      body: { logs: [{ message: expect.stringContaining('[redacted]') }] },
    });
    const named = await execute('core:emit-event', { config: { topic: 'a.{{ secrets.PIN }}' } });
    expect(named).toMatchObject({ status: 422, body: { error: { code: 'SECRET_IN_TOPIC' } } });
    for (const { text } of [core, packaged, thrown, failed, emitted, named]) {
      for (const part of ['canary', 'quoted', '4711']) expect(text).not.toContain(part);
    }
    expect(api.logLines.join('')).not.toContain('canary');
  });

  test('returns nothing that its expressions derived from a secret', async () => {
    const config = {
      split: '{{ $split(secrets.PIN, "") }}',
      half: 'x {{ $substring(secrets.PIN, 0, 6) }} y',
      pair: '{{ $base64encode("me:" & secrets.PIN) }}',
      keyed: '{{ {secrets.PIN & "!": $number($substring(secrets.PIN, 1)) + 1} }}',
    };
    const clean = {
      split: Array.from({ length: 10 }, () => '[redacted]'),
      half: 'x [redacted] y',
      pair: '[redacted]',
      keyed: { '[redacted]': '[redacted]' },
    };
    expect((await execute('core:set', { config: { values: config } })).body).toMatchObject({ outputs: clean });
    const packaged = await execute('scope:echo', { config: { ...config, a: '{{ $pad(secrets.PIN, 12, "#") }}' } });
    expect(packaged.body).toMatchObject({ outputs: clean, logs: [{ message: 'given [redacted]' }] });
    const thrown = { values: { a: '{{ $error("Not " & $substring(secrets.PIN, 0, 6) & "!") }}' } };
    expect((await execute('core:set', { config: thrown })).body).toMatchObject({
      error: { code: 'EXPRESSION_FAILED', message: expect.stringContaining('Not [redacted]!') },
    });
    const branch = { value: 1, cases: [{ equals: 1, branch: 'of_{{ $substring(secrets.PIN, 0, 6) }}' }] };
    expect((await execute('core:switch', { config: branch })).body).toMatchObject({ branch: 'of_[redacted]' });
  });

  test('keeps its structure if a part of a secret is a member name of the response', async () => {
    await call(api, 'PUT', '/secrets/NAMES', { body: { value: 'outputs.branch.logs.level.info.message.code' } });
    const a = '{{ $split(secrets.NAMES, ".") }}';
    const clean = Array.from({ length: 7 }, () => '[redacted]');
    const core = await execute('core:set', { config: { values: { a } } });
    expect(core).toMatchObject({ status: 200, body: { outputs: { a: clean }, branch: 'default', logs: [] } });
    const packaged = await execute('scope:echo', { config: { a } });
    expect(packaged).toMatchObject({ status: 200, body: { outputs: { a: clean }, logs: [{ level: 'info' }] } });
    const thrown = await execute('scope:throws', { config: { a } });
    expect(thrown).toMatchObject({ status: 422, body: { error: { code: 'NO' } } });
  });

  test('that names a secret is for admins only, because its config could send the secret anywhere', async () => {
    for (const [slug, config] of [
      ['core:set', { values: { a: '{{ secrets.TOKEN }}' } }],
      ['scope:echo', { a: '{{ $uppercase(secrets.TOKEN) }}' }],
    ] as const) {
      for (const as of [{ roles: ['user'] }, { tenant: null, roles: ['admin'] }]) {
        const answer = await execute(slug, { config }, as);
        expect(answer).toMatchObject({ status: 422, body: { error: { code: 'SECRET_FORBIDDEN' } } });
      }
    }
    const own = await execute('core:set', { config: { values: { a: '{{ 1 + 1 }}' } } }, { roles: ['user'] });
    expect(own).toMatchObject({ status: 200, body: { outputs: { a: 2 } } });
  });

  test('sees no secret of another tenant', async () => {
    const config = { values: { a: '{{ secrets.TOKEN }}' } };
    const answer = await execute('core:set', { config }, { tenant: 'acme-outlet' });
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'EXPRESSION_FAILED' } } });
  });

  test('with a tampered secret is a server error, raises an alarm and opens nothing', async () => {
    await api.database.withTenant('acme-shop', async (tx) => {
      const where = { tenantId_key: { tenantId: 'acme-shop', key: 'TOKEN' } };
      const { value } = await tx.tenantSecret.findUniqueOrThrow({ where });
      value[value.length - 1] = (value.at(-1) as number) ^ 0x80;
      await tx.tenantSecret.update({ where, data: { value } });
    });
    for (const [slug, config] of [
      ['core:set', { values: { a: '{{ secrets.TOKEN }}' } }],
      ['scope:echo', { a: 'x {{ secrets.TOKEN }}' }],
    ] as const) {
      const before = api.logLines.length;
      const answer = await execute(slug, { config });
      expect([answer.status, answer.body]).toEqual([500, { message: 'Server Error' }]);
      const alarms = api.logLines.slice(before).filter((line) => line.includes('"alarm":"unreadable_ciphertext"'));
      expect(alarms).toHaveLength(1);
    }
  });

  test('can read, but not write, the state that the named workflow declares', async () => {
    const store = openState(api.deps, 'acme-shop', { shared: 'read_write' });
    await store.set({ namespace: 'shared', key: 'k', value: 1 });
    const as = { roles: ['user'] };
    const where = { namespace: 'shared', key: 'k' };
    const read = await execute('core:state-get', { config: where, workflow_id: workflowId }, as);
    expect(read).toMatchObject({ status: 200, body: { outputs: { value: 1, version: 1, found: true } } });
    const write = await execute('core:state-set', { config: { ...where, value: 2 }, workflow_id: workflowId }, as);
    expect(write).toMatchObject({
      status: 422,
      body: { error: { code: 'STATE_READ_ONLY', message: expect.stringContaining('run-only') } },
    });
    const packaged = await execute('scope:state', { workflow_id: workflowId }, as);
    expect(packaged.body).toMatchObject({
      outputs: {
        read: { value: 1, version: 1 },
        write: 'STATE_READ_ONLY',
        remove: 'STATE_READ_ONLY',
        other: 'STATE_NOT_DECLARED',
      },
    });
    expect(await store.get('shared', 'k')).toEqual({ value: 1, version: 1 });
  });

  test('reaches no state without a workflow, or through another tenant’s', async () => {
    const config = { namespace: 'shared', key: 'k' };
    expect(await execute('core:state-get', { config })).toMatchObject({ body: { error: { code: 'NOT_AVAILABLE' } } });
    const foreign = await execute('core:state-get', { config, workflow_id: workflowId }, { tenant: 'acme-outlet' });
    expect(foreign.status).toBe(404);
  });
});
