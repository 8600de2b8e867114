import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readParts } from '#console/automation/templates/template-parts.ts';

test('the parts of a template are its nodes, what they leave open, and how they follow each other', () => {
  const file = 'examples/erp-nodes/templates/order-to-erp.template.json';
  const { blob } = JSON.parse(readFileSync(file, 'utf8')) as { blob: unknown };
  expect(readParts(blob)).toEqual({
    nodes: [
      {
        path: 'create_order',
        id: 'create_order',
        kind: 'erp:create-order',
        version: '1.0.0',
        open: ['base_url', 'erp'],
      },
      { path: 'answer', id: 'answer', kind: 'core:respond', version: '1.0.0', open: [] },
    ],
    links: [{ from: 'create_order', to: 'answer', branch: 'default' }],
  });
});

test('nodes of a loop have its path before their own', () => {
  const inner = {
    nodes: [{ id: 'send', node: 'core:http', version: '1', config: { url: { $placeholder: 'url' } } }],
    edges: [],
  };
  const blob = {
    nodes: [{ id: 'each', node: 'core:for-each', version: '1', config: { items: '{{ [] }}', body: inner } }],
    edges: [{ from: { trigger: 'hook' }, to: 'each' }],
  };
  expect(readParts(blob).nodes.map(({ path, open }) => [path, open])).toEqual([
    ['each', []],
    ['each/send', ['url']],
  ]);
  expect(readParts('no blob')).toEqual({ nodes: [], links: [] });
});
