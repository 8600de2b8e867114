import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBlob, writeBlob } from '#console/automation/editor/model/blob.ts';
import { difference } from '#console/automation/editor/model/changes.ts';
import { configure, remove } from '#console/automation/editor/model/commands.ts';
import { type Fix, fix, fixBlob } from '#console/automation/editor/model/fix.ts';
import { orderBlob, orderGraph } from './graphs.ts';

/** The path of each member and item of a value, itself left out. */
function pathsIn(value: unknown, prefix: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${prefix}.${name}`,
    ...pathsIn(member, `${prefix}.${name}`),
  ]);
}

/** Ids stay, because the graph has no two nodes of one id. */
const paths = pathsIn(orderBlob, 'blob').filter((path) => !path.endsWith('.id'));

const anyFix: fc.Arbitrary<Fix> = fc.record({
  operation: fc.constantFrom('SET', 'REMOVE'),
  path: fc.constantFrom(...paths),
  value: fc.oneof(fc.string(), fc.integer(), fc.constant({ a: [1] })),
});

describe('a fix of the server', () => {
  test('makes of the graph what it makes of the blob', () => {
    fc.assert(
      fc.property(anyFix, (proposed) => {
        const fixed = readBlob(fixBlob(orderBlob, proposed));
        expect(difference(fix(orderBlob, proposed)(orderGraph), fixed)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[Fix, string, unknown]>([
    [{ operation: 'SET', path: 'blob.nodes.1.version', value: '2' }, 'version', '2'],
    [{ operation: 'REMOVE', path: 'blob.nodes.1.config.body', value: null }, 'config', {}],
  ])('changes the member that it names: %o', (proposed, member, value) => {
    const { nodes } = writeBlob(fix(orderBlob, proposed)(orderGraph)) as { nodes: Record<string, unknown>[] };
    expect(nodes[1]).toMatchObject({ [member]: value });
    expect(Object.keys(nodes[1]?.[member] as object)).toEqual(Object.keys(value as object));
  });

  test('takes an edge out of a loop', () => {
    const proposed: Fix = { operation: 'REMOVE', path: 'blob.nodes.0.config.body.edges.0' };
    expect(difference(orderGraph, fix(orderBlob, proposed)(orderGraph))).toMatchObject([
      { key: 'edge:each/get.default>each/keep', to: undefined },
    ]);
  });

  test('reaches members with dots in their names', () => {
    const blob = { headers: { 'x.y': 'a', x: { y: 'b' } } };
    expect(fixBlob(blob, { operation: 'REMOVE', path: 'blob.headers.x.y' })).toEqual({ headers: { x: { y: 'b' } } });
  });

  test('leaves a member alone that was changed since the server looked at it', () => {
    const changed = configure('answer', 'body', 'mine')(orderGraph);
    expect(fix(orderBlob, { operation: 'SET', path: 'blob.nodes.1.config.body', value: '2' })(changed)).toBe(changed);
    expect(fix(orderBlob, { operation: 'REMOVE', path: 'blob.nodes.1.config.body' })(changed)).toBe(changed);
    const gone = remove(['answer'])(orderGraph);
    expect(fix(orderBlob, { operation: 'SET', path: 'blob.nodes.1.version', value: '2' })(gone)).toBe(gone);
  });

  test('mends one member after the other of a node and of the workflow', () => {
    const declare = (name: string): Fix => ({
      operation: 'SET',
      path: 'blob.state',
      value: { namespaces: { [name]: 'read' } },
    });
    const fixes: Fix[] = [
      { operation: 'SET', path: 'blob.nodes.1.version', value: '2' },
      { operation: 'REMOVE', path: 'blob.nodes.1.config.body' },
      { operation: 'SET', path: 'blob.nodes.1.config.status', value: 201 },
      declare('orders'),
      declare('stock'),
    ];
    const mended = writeBlob(fixes.reduce((graph, each) => fix(orderBlob, each)(graph), orderGraph));
    expect(mended).toMatchObject({ state: { namespaces: { orders: 'read', stock: 'read' } } });
    const { nodes } = mended as { nodes: Record<string, unknown>[] };
    expect(nodes[1]).toMatchObject({ version: '2', config: { status: 201 } });
    expect(nodes[1]?.['config']).not.toHaveProperty('body');
  });
});
