import { expect, test } from 'vitest';
import { findAnswerFaults } from '#src/automation/connectors/calls/check-answer.ts';

const order = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    total: { type: ['number', 'null'] },
    count: { type: 'integer' },
    state: { type: 'string', enum: ['open', 'paid'] },
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
    owner: { anyOf: [{ type: 'string' }, { type: 'object', required: ['name'], properties: { name: {} } }] },
  },
};

test.each<[unknown, string[]]>([
  [{ id: 'a', total: 1.5, count: 2, state: 'open', lines: [{ sku: 'x' }], owner: 'me', other: 1 }, []],
  [{ id: 'a', total: null, owner: { name: 1 } }, []],
  [{ id: 7 }, ['body.id: expected string, found number']],
  [{}, ['body.id: missing']],
  ['secret', ['body: expected object, found string']],
  [null, ['body: expected object, found null']],
  [{ id: 'a', count: 1.5 }, ['body.count: expected integer, found number']],
  [{ id: 'a', total: 'secret' }, ['body.total: expected number or null, found string']],
  [{ id: 'a', state: 'secret' }, ['body.state: none of the described values']],
  [{ id: 'a', owner: {} }, ['body.owner: none of the described shapes']],
  [
    { id: 'a', lines: [{ sku: 'x' }, { sku: 1 }, 2] },
    ['body.lines.1.sku: expected string, found number', 'body.lines.2: expected object, found number'],
  ],
])('%j is compared with its schema', (value, expected) => {
  expect(findAnswerFaults(order, value).map(({ path, message }) => `${path}: ${message}`)).toEqual(expected);
});

test.each<[string, unknown, string[]]>([
  [
    'a file',
    { file: 'file_Jm3v0s8uQXqk1w2y3z4A5B', name: 'label.pdf', type: 'application/pdf', size: 8, sha256: '9f86' },
    [],
  ],
  ['text', 'JVBERg==', []],
  ['an object', { name: 'label.pdf' }, ['expected string, found object']],
])('%s is compared with binary text', (_what, value, expected) => {
  expect(findAnswerFaults({ type: 'string', format: 'binary' }, value).map(({ message }) => message)).toEqual(expected);
});

test('only the first five faults are reported, and only some items of a long list are checked', () => {
  const lines = Array.from({ length: 100_000 }, () => ({ sku: 1 }));
  expect(findAnswerFaults(order, { id: 'a', lines })).toHaveLength(5);
  let read = 0;
  const counted = new Proxy(lines, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  findAnswerFaults({ type: 'array', items: { type: 'object' } }, counted);
  expect(read).toBe(20);
});
