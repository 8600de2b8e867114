import { expect, test } from 'vitest';
import { inOutWords } from '#console/automation/editor/in-out/in-out.words.ts';
import { difference } from '#console/automation/editor/model/changes.ts';
import { copyWhole } from '#console/automation/editor/model/clipboard.ts';
import { readPaste } from '#console/automation/editor/model/read-paste.ts';
import { orderGraph } from './graphs.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.for([
  ['a text', 'hello', 'not-json'],
  ['an n8n workflow', '{"nodes":[{"type":"n8n-nodes-base.set","name":"Set"}],"connections":{}}', 'n8n'],
  ['a Node-RED flow', '[{"id":"a1","type":"tab"},{"id":"b2","type":"inject","wires":[["c3"]]}]', 'node-red'],
  ['JSON of another tool', '{"steps":[]}', 'other-tool'],
  ['five megabytes', `"${'x'.repeat(5_000_000)}"`, 'too-large'],
  ['a hundred thousand levels', nested(100_000), 'too-deep'],
  ['a graph without nodes', '{"nodes":[],"edges":[]}', 'empty'],
] as const)('%s is refused with a sentence that says what it is', ([, text, fault]) => {
  expect(readPaste(text)).toEqual({ fault });
  expect(inOutWords[fault]('orders.json')).toMatch(/orders\.json.*\.$/);
});

test('a workflow that is taken out and in again is the same but for its credentials, also in loops', () => {
  const graph = new Map(orderGraph).set('node:each/get', {
    node: 'core:http-request',
    version: '1',
    config: { url: '/', auth: '{{ trigger.payload.credential }}', old_credential: 17 },
  });
  const credentials = ({ config }: { config: object }) =>
    Object.keys(config).filter((key) => /auth|credential/.test(key));
  const text = copyWhole(graph, 'Orders', credentials);
  expect(text).not.toMatch(/credential|auth|17/);
  const read = readPaste(text);
  if (!('part' in read) || !read.whole) throw new Error('It is a whole workflow.');
  expect(difference(graph, read.whole).map(({ key, to }) => [key, to])).toEqual([
    ['node:each/get', { node: 'core:http-request', version: '1', config: { url: '/' } }],
  ]);
});
