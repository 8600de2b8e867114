import { expect, test } from 'vitest';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { inEnvelope, readPayload, withPayload } from '#console/automation/editor/expressions/payload-entries.ts';

const entry = (path: string, depth: number): ScopeEntry => ({
  path,
  name: path.slice(path.lastIndexOf('.') + 1),
  depth,
  type: null,
  sample: null,
  hasMore: false,
  isDeclared: false,
});
const entries = [entry('trigger', 0), entry('trigger.payload', 1), entry('trigger.type', 1)];
const webhook = { type: 'WEBHOOK' } as const;

test('a payload without a run has the members that its triggers are known to bring', () => {
  const paths = (...triggers: Parameters<typeof withPayload>[2]) =>
    withPayload(entries, undefined, triggers).map(({ path }) => path);
  expect(paths(webhook)).toEqual([
    'trigger',
    'trigger.payload',
    'trigger.payload.body',
    'trigger.payload.query',
    'trigger.payload.headers',
    'trigger.payload.method',
    'trigger.type',
  ]);
  expect(paths({ type: 'SCHEDULE' }, { type: 'EVENT' })).toEqual(
    expect.arrayContaining(['trigger.payload.scheduled_at', 'trigger.payload.data']),
  );
  expect(paths({ type: 'MANUAL' })).toEqual(entries.map(({ path }) => path));
});

test('a sample that was pasted has its members and values in place of those', () => {
  const sample = inEnvelope(readPayload('{"order": {"lines": [{"sku": "MUG-1"}]}}'), [webhook]);
  const found = new Map(withPayload(entries, sample, [webhook]).map((each) => [each.path, each]));
  expect(found.get('trigger.payload.body.order.lines[0].sku')).toMatchObject({ type: 'STRING', sample: 'MUG-1' });
  expect(found.get('trigger.payload')).toMatchObject({ type: 'OBJECT' });
  expect([...found.keys()].at(-1)).toBe('trigger.type');
});

test('a sample is the body of a request unless it is the whole of it, or something else than a request starts the workflow', () => {
  expect(inEnvelope([1], [webhook])).toMatchObject({ method: 'POST', body: [1] });
  expect(inEnvelope({ body: 1 }, [webhook])).toEqual({ body: 1 });
  expect(inEnvelope({ a: 1 }, [webhook, { type: 'MANUAL' }])).toEqual({ a: 1 });
  expect(inEnvelope({ a: 1 }, [])).toEqual({ a: 1 });
  expect(readPayload('{"a": ')).toBeUndefined();
});
