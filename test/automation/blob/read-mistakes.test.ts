import { expect, test } from 'vitest';
import { findReadMistakes } from '#src/automation/blob/read-mistakes.rules.ts';
import type { Port } from '#src/automation/node-api/manifest.ts';

const outputs = new Map<string, readonly Port[]>([
  ['get', [{ name: 'status', type: 'number' }, { name: 'body' }, { name: 'rows', type: 'array' }]],
  ['get-order', [{ name: 'id' }, { name: 'title', type: 'string' }]],
  ['merge', []],
]);

const meant = (source: string, hasItem = false) =>
  findReadMistakes(source, { outputs, hasItem }).map((mistake) => mistake.meant);

test.each([
  ['nodes.get.body.id', 'nodes.get.outputs.body.id'],
  ['nodes.get-order.id', 'nodes.get-order.outputs.id'],
  ['nodes.get.output.body', 'nodes.get.outputs.body'],
  ['nodes.get-ordr.id', 'nodes.get-order.outputs.id'],
  ['nodes.get.outputs.id', 'nodes.get.outputs.body.id'],
  ['nodes.get.outputs.staus', 'nodes.get.outputs.status'],
  ['steps.get.outputs.body.id', 'nodes.get.outputs.body.id'],
  ['steps.get-order.id', 'nodes.get-order.outputs.id'],
  ['steps.get.body', 'nodes.get.outputs.body'],
  ['get.body', 'nodes.get.outputs.body'],
  ['get.outputs.body', 'nodes.get.outputs.body'],
  ['rows', 'nodes.get.outputs.rows'],
  ['lines', 'trigger.payload.lines'],
  ['payload.lines', 'trigger.payload.lines'],
  ['triger.payload', 'trigger.payload'],
  ['trigger.order.id', 'trigger.payload.order.id'],
  ['run.startedAt', 'run.started_at'],
  ['item.sku', undefined],
  ['lines.length > 0', '$count(trigger.payload.lines) > 0'],
  ['0 < trigger.payload.stock.length', '0 < $count(trigger.payload.stock)'],
  ['trigger.payload.lines[qty > 0].length', '$count(trigger.payload.lines[qty > 0])'],
  ['nodes.get.outputs.rows.length', '$count(nodes.get.outputs.rows)'],
  ['nodes.get-order.outputs.title.length', '$length(nodes.get-order.outputs.title)'],
  ['{"all": $count(lines), "at": $now()}', '{"all": $count(trigger.payload.lines), "at": $now()}'],
  [
    '$map(trigger.payload.all, function($l) { $l.tags.length > 0 })',
    expect.stringContaining('{ $count($l.tags) > 0 }'),
  ],
  ['$trigger.order', '$trigger.payload.order'],
])('%s was probably meant to be %s', (source, expected) => {
  expect(meant(source)[0]).toEqual(expected);
  expect(meant(source)).not.toEqual([]);
});

test('within a loop, an unknown name is probably a member of its item', () => {
  expect(meant('sku', true)).toEqual(['item.sku']);
  expect(meant('item.sku & index', true)).toEqual([]);
});

test.each([
  'nodes.get.outputs.body.anything.length',
  'nodes.get.outputs.error.message',
  'nodes.merge.outputs.get.body',
  'nodes.get-order.outputs.id - 1',
  'nodes.gone.outputs.x',
  'trigger.payload.lines.{"sku": sku, "order": $trigger.payload.id}',
  'trigger.payload.lines[qty > 0]^(>price).sku',
  'trigger.payload.lines{group: $sum(qty)}',
  '$sum(trigger.payload.lines.(qty * price))',
  '$map(trigger.payload.lines, function($line) { $line.sku })',
  '($lines := trigger.payload.lines; $lines[0].sku & $$.trigger.type)',
  'trigger.payload.lines@$l.{"sku": $l.sku}',
  'trigger.payload.nodes.zz.id & "lines.length > 0" /* get.id */',
  '$lookup(nodes.get.outputs, "x")',
  'trigger.payload.box.length',
  'trigger.payload.dimensions.length',
  'trigger.payload.lines[].%.id',
  'secrets.KEY',
  '(1 +',
])('%s reads what is there, as far as anybody can tell', (source) => {
  expect(findReadMistakes(source, { outputs, hasItem: false })).toEqual([]);
});
