import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { inheritedEnv } from '#test/setup/child-env.ts';

const span = (id: string, parent: string, name: string, [start, end]: [number, number], attributes = {}) => ({
  traceId: 'a'.repeat(32),
  spanId: id.repeat(16),
  parentSpanId: parent.repeat(16),
  name,
  startTimeUnixNano: `17000000000${start}000000`,
  endTimeUnixNano: `17000000000${end}000000`,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  status: {},
});

test('draws each trace of several spans as a tree, in order of their starts', async () => {
  const script = join(import.meta.dirname, '../../scripts/print-traces.ts');
  const child = spawn(process.execPath, [script, '0'], { env: inheritedEnv });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = text(child.stdout);
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  const url = /http:\S+(?=;)/.exec(String(line))?.[0];
  const batches = [
    [span('c', 'b', 'step', [30, 80], { 'causeway.path': 'create_order' }), span('e', '', 'GET', [10, 20])],
    [span('d', 'c', 'POST', [40, 70], { 'http.response.status_code': '201' }), span('b', 'a', 'run', [20, 99])],
    [span('a', '', 'POST /graphql', [10, 15]), span('f', 'b', 'claim', [20, 25])],
  ];
  for (const spans of batches.map((batch) =>
    batch.map((each) => (each.name === 'GET' ? { ...each, traceId: 'b'.repeat(32) } : each)),
  )) {
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect((await fetch(`${url}/v1/traces`, { method: 'POST', body })).status).toBe(200);
  }
  child.kill('SIGINT');
  expect(await printed).toBe(
    [
      `trace ${'a'.repeat(32)}`,
      '     0 ms      5 ms  POST /graphql',
      '    10 ms     79 ms  └─ run',
      '    10 ms      5 ms     ├─ claim',
      '    20 ms     50 ms     └─ step  create_order',
      '    30 ms     30 ms        └─ POST  201',
      '',
      '',
    ].join('\n'),
  );
});
