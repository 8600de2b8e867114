import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeId, nearest, placedIssues } from '#src/automation/blob/issues.rules.ts';

const graph = (ids: string[]) => ({
  edges: [],
  nodes: ids.map((id) => ({ id, node: 'core:set', version: '1.0.0', config: {}, on_error: 'fail' as const })),
});

describe('a suggested name', () => {
  test.each([
    ['snd', ['send', 'fetch'], 'send'],
    ['Default', ['default', 'error'], 'default'],
    ['truee', ['true', 'false'], 'true'],
    ['a', ['b'], undefined],
    ['anything', ['send', 'fetch'], undefined],
  ])('for %s among %j is %s', (name, known, expected) => {
    expect(nearest(name, known)).toBe(expected);
  });

  test('for a known name is that name', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(names, (known) => {
        expect(nearest(known[0] ?? '', known)).toBe(known[0]);
      }),
    );
  });
});

test('a free id is one that no node has, and is not too long', () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[a-c-]{1,64}$/), { minLength: 1 });
  fc.assert(
    fc.property(ids, (taken) => {
      const free = freeId(taken[0] ?? '', graph(taken));
      expect(taken).not.toContain(free);
      expect(free).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }),
  );
});

describe('an issue is in the node', () => {
  const body = { nodes: [{ id: 'send' }] };
  const blob = { nodes: [{ id: 'a' }, { id: 'each', config: { body } }] };

  test.each([
    ['blob.nodes.0.config.url', 'a', 'config.url'],
    ['blob.nodes.0', 'a', null],
    ['blob.nodes.1.config.body', 'each', 'config.body'],
    ['blob.nodes.1.config.body.nodes.0.version', 'each/send', 'version'],
    ['blob.nodes.1.config.body.edges.0.to', 'each', 'config.body.edges.0.to'],
    ['blob.nodes.7.id', null, null],
    ['blob.edges.0.to', null, null],
    ['blob', null, null],
  ])('that %s names', (path, node, field) => {
    const issue = { severity: 'error', code: 'invalid_value', path, message: 'No.' } as const;
    expect(placedIssues(blob, [issue])).toEqual([{ ...issue, node, field }]);
    for (const other of [null, 'text', [], { nodes: 'none' }])
      expect(placedIssues(other, [issue])).toEqual([{ ...issue, node: null, field: null }]);
  });
});
