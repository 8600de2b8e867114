import { expect, test } from 'vitest';
import { Budget } from '#src/automation/expressions/budget.ts';
import { functionHelp } from '#src/automation/expressions/function-help.ts';
import { nodesToRead } from '#src/automation/expressions/read-nodes.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';

const nodes: Record<string, { outputs: unknown }> = {
  fetch: { outputs: { total: 3, items: [{ sku: 'A' }, { sku: 'B' }] } },
  'fetch-2': { outputs: { total: 4 } },
  other: { outputs: { total: 5 } },
};

async function evaluate(text: string, seen: typeof nodes): Promise<unknown> {
  const scope = {
    trigger: { payload: { nodes: { other: { outputs: 1 } } }, type: 'manual', handle: null },
    nodes: seen,
    run: { id: 1, started_at: '2030-01-01T00:00:00.000Z' },
    secrets: () => undefined,
  };
  const template = compileTemplate({ text }, { deferred: ['text'] }).deferred('text');
  return template.evaluate(scope, new Budget());
}

const readOne: [string, string[]][] = [
  ['nodes.fetch.outputs.total', ['fetch']],
  ['{{ nodes.fetch-2.outputs.total }} of {{ nodes.`other`.outputs.total }}', ['fetch-2', 'other']],
  ['$sum(nodes.fetch.outputs.items.($length(sku)))', ['fetch']],
  ['nodes.fetch.outputs.items[sku = "B"].{"sku": sku, "total": $nodes.other.outputs.total}', ['fetch', 'other']],
  ['trigger.type & $string(run.id)', []],
  ['nodes.none.outputs.total', ['none']],
  ['$map([1], function($n) { $n + nodes.fetch.outputs.total })', ['fetch']],
];

test.each(readOne)('%s names the nodes that it reads', async (text, ids) => {
  expect([...(nodesToRead(text) ?? ['any'])]).toEqual(ids);
});

const readAny = [
  'nodes',
  '$keys(nodes)',
  '$keys()',
  '$keys( /* of the scope */ )',
  '$string(\n)',
  '($string)()',
  '[$spread][0]()',
  '(true ? $string : $type)( )',
  'function() { $string }()()',
  '($function := $string; $function())',
  '$$.nodes.other.outputs.total',
  '$.nodes.other.outputs.total',
  '$lookup("no" & "des")',
  '"nodes".other.outputs.total',
  "'nodes'.other.outputs.total",
  '"\\u006eodes".other.outputs.total',
  '`nodes`.other.outputs.total',
  'nodes . other . outputs . total',
  'nodes.other["outputs"]',
  'nodes.other.("outputs")',
  '*.other.outputs.total',
  '**.total',
  'nodes.*.outputs.total',
  '$each(function($v, $k) { $k })',
  '($all := nodes; $all.other.outputs.total)',
  'function($o, $k)<o-s:x>{ $o.nodes }("k")',
  'trigger.payload.nodes.other.outputs',
  '$nodes.*.outputs.total',
  '{"a": nodes}.a.other.outputs.total',
];

test.each(readAny)('%j may read any node', (text) => {
  expect(nodesToRead(text)).toBeUndefined();
});

test('an expression yields the same from the nodes that it reads as from all', async () => {
  const texts = [...readOne.map(([text]) => text), ...functionHelp.map(({ example }) => example)];
  const isRandom = /\$(?:now|millis|random|shuffle)\b/;
  for (const text of texts.filter((each) => !isRandom.test(each))) {
    const ids = nodesToRead(text);
    const some = ids ? Object.fromEntries(Object.entries(nodes).filter(([id]) => ids.has(id))) : nodes;
    expect(await evaluate(text, some), text).toEqual(await evaluate(text, nodes));
  }
});
