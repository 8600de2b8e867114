import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';

const renames = `export const execute = () => ({});
  export const migrate = ({ old }) => { if (old === 'odd') throw new Error('No way.'); return { text: old }; };`;

test('nodes upgrades lists the outdated nodes of all workflows of a tenant, and changes nothing', async ({ api }) => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_TOKEN: await api.token({ roles: ['user'] }),
  };
  const causeway = async (...argv: string[]) => {
    const outcome = { code: 0, out: '', err: '' };
    outcome.code = await runCauseway(['nodes', 'upgrades', ...argv], {
      out: (text) => void (outcome.out += text),
      err: (text) => void (outcome.err += text),
      cwd: '/',
      env,
      isTerminal: argv.includes('--limit'),
    });
    return outcome;
  };
  const register = (version: string, key: string, code: string) => {
    const manifest = { config: [{ key, type: 'string', required: true }] };
    const nodes = [
      { name: 'send', version, code, manifest },
      { name: 'plain', version, manifest },
    ];
    const archive = packageArchive({ name: 'fleet', version, namespace: 'fleet', nodes });
    return registerNodePackage(api.deps, { orgId: 'acme', archive });
  };
  await register('1.0.0', 'old', renames.replace('migrate', 'unused'));
  expect(await causeway()).toEqual({ code: 0, err: '', out: 'No outdated node in 0 of 0 workflows.\n' });
  await register('2.0.0', 'text', renames);
  const node = (id: string, name: string, old: string) => ({
    id,
    node: `fleet:${name}`,
    version: '1.0.0',
    config: { old },
  });
  const ids = await api.database.withTenant('acme-shop', async (tx) => {
    const made: bigint[] = [];
    for (const [name, nodes] of [
      [
        'B',
        [
          node('a', 'send', 'x'),
          node('b', 'send', 'odd'),
          node('c', 'plain', 'x'),
          { id: 'd', node: 'no:body', version: '1.0.0', config: {} },
        ],
      ],
      ['A', Array.from({ length: 120 }, (_node, index) => node(`n${index}`, 'send', 'x'))],
      ['C', []],
    ] as [string, object[]][]) {
      const data = { tenantId: 'acme-shop', name, blob: { version: 'v1', nodes, edges: [] } };
      made.push((await tx.workflow.create({ data, select: { id: true } })).id);
    }
    return made;
  });

  const one = await causeway('--workflow', String(ids[0]));
  expect(one).toEqual({
    code: 0,
    err: '',
    out: `B (${ids[0]})
  a  fleet:send  1.0.0 -> 2.0.0  ready, migrated
  b  fleet:send  1.0.0 -> 2.0.0  migration failed
      NODE_THREW: No way.
  c  fleet:plain  1.0.0 -> 2.0.0  invalid
      The field "text" is required.
  d  no:body  1.0.0  unavailable
4 outdated nodes in 1 of 1 workflows: 1 ready, 1 migration failed, 1 invalid, 1 unavailable.
`,
  });
  const all = JSON.parse((await causeway('--json')).out) as { nodes: { workflow: object; path: string }[] };
  expect(all).toMatchObject({ workflows: 3, totalWorkflows: 3, complete: true });
  expect(all.nodes).toHaveLength(124);
  expect(all.nodes[119]).toMatchObject({ workflow: { name: 'A' }, path: 'n119', state: 'READY', newest: '2.0.0' });
  const first = await causeway('--limit', '1');
  expect(first).toMatchObject({
    code: 0,
    out: expect.stringMatching(/120 outdated nodes in 1 of 3 workflows: 120 ready\.\nThere are more/),
    err: expect.stringContaining('1 of 3 workflows'),
  });
  expect(await causeway('--workflow', '99999999')).toMatchObject({ code: 1, err: 'There is no workflow 99999999.\n' });
  expect(await causeway('--limit', '0')).toMatchObject({ code: 2 });
  const drafts = await api.database.tenantQuery('acme-shop', { text: 'SELECT 1 FROM workflow_drafts' });
  expect(drafts).toEqual([]);
});
