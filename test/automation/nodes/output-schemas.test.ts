import { describe, expect } from 'vitest';
import { describeOutputs, inferSchema } from '#src/automation/nodes/output-schemas.rules.ts';
import { test } from '#test/setup/app-test.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

const query = `query ($slug: String!) { nodeVersions(slug: $slug, first: 1) { edges { node { slug outputSchemas { branch schema isInferred } } } } }`;

interface Answer {
  nodeVersions: { edges: { node: { outputSchemas: { branch: string; schema: unknown; isInferred: boolean }[] } }[] };
}

describe('the outputs of a node', () => {
  test('have the types of its manifest, and the members that its steps left', async ({ api, startEngine }) => {
    const ask = async (options?: object) => (await api.graphql<Answer>(query, { slug: 'core:set' }, options)).data;
    const before = (await ask()).nodeVersions.edges[0]?.node.outputSchemas;
    expect(before?.map(({ isInferred }) => isInferred)).toEqual([false]);

    await startEngine();
    const values = { order: '{{ trigger.payload.order }}', total: 3 };
    const made = await readyWorkflow(api, {
      nodes: [node('first', 'set', { values }), node('end', 'set', { values: {} })],
      edges: chain('first', 'end'),
    });
    await untilRun(api, await fireRun(api, made, { order: { number: 'A-1', lines: [{ sku: 'MUG' }] } }), 'succeeded');

    const [outputs] = (await ask()).nodeVersions.edges[0]?.node.outputSchemas ?? [];
    expect(outputs).toMatchObject({
      branch: 'default',
      isInferred: true,
      schema: {
        type: 'object',
        properties: {
          total: { type: 'number' },
          order: {
            type: 'object',
            properties: {
              number: { type: 'string' },
              lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
            },
          },
        },
      },
    });
    expect((await ask({ tenant: 'acme-outlet' })).nodeVersions.edges[0]?.node.outputSchemas).toEqual(before);
  });

  test('are described for each branch', async ({ api }) => {
    const { data } = await api.graphql<Answer>(query, { slug: 'core:if' });
    expect(data.nodeVersions.edges[0]?.node.outputSchemas.map(({ branch }) => branch)).toEqual(['true', 'false']);
  });

  test('keep the declared type where a sample has another', () => {
    const manifest = { outputs: [{ name: 'status', type: 'number' as const, required: true }, { name: 'body' }] };
    const samples = [{ branch: 'error', outputs: { status: 'late', body: { id: 1 }, extra: null } }];
    expect(describeOutputs(manifest, samples)).toEqual([
      {
        branch: 'default',
        isInferred: false,
        schema: { type: 'object', required: ['status'], properties: { status: { type: 'number' }, body: {} } },
      },
      {
        branch: 'error',
        isInferred: true,
        schema: {
          type: 'object',
          required: ['status'],
          properties: {
            status: { type: 'number' },
            body: { type: 'object', properties: { id: { type: 'number' } } },
            extra: { type: 'null' },
          },
        },
      },
    ]);
  });

  test('are bounded in depth and members, whatever the samples hold', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50; level += 1) deep = { next: deep };
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`m${n}`, n]));
    const schema = inferSchema([deep, wide, JSON.parse('{"__proto__": {"a": 1}}')]);
    expect(Object.keys(schema?.properties ?? {})).toHaveLength(100);
    expect(JSON.stringify(schema).match(/next/g)).toHaveLength(6);
    expect(inferSchema([1, 'a', null])).toEqual({ type: ['null', 'number', 'string'] });
  });
});
