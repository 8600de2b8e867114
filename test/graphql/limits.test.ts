import { getOperationAST, parse } from 'graphql';
import { afterAll, describe, expect } from 'vitest';
import { computeCost, maxCost } from '#src/graphql/cost.ts';
import { batchLimit, documentLimits } from '#src/graphql/plugins/use-document-limits.ts';
import { test as appTest } from '#test/setup/app-test.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';
import { schema } from '#test/setup/schema.ts';
import { type Asked, faces, openFaces, createPersisted } from './transports.ts';

const times = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join(' ');

/** Its validation takes no longer for it; as many fields would be too many to compare. */
const tokens = (count: number): string =>
  `mutation { fireWebhook(input: { handle: "none" payload: [${times(count - 20, () => '1')}] }) { __typename } }`;

/** A comment and a string hold more, which open nothing. */
const bracketed = (count: number): string =>
  `query ($a: String = "([{ \\" ([{") { ${'... { '.repeat(count - 1)} a: me @include(if: true) { user { id } } b: __type(name: $a) { name } ${'} '.repeat(count)} # ${'('.repeat(200)}`;

const nested = (levels: number): string => {
  // run.workflow.run.workflow...: each a level; the last is the leaf.
  const inner = Array.from({ length: levels - 1 }, (_, level) => (level % 2 ? 'workflow {' : 'run(id: 1) {'));
  return `{ ${inner.join(' ')} __typename ${'}'.repeat(levels - 1)} }`;
};
const aliases = (count: number) => `{ me { user { ${times(count, (index) => `a${index}: idpId`)} } } }`;
const runPage = (first: number) =>
  `workflows(first: 49) { edges { node { runs(first: ${first}) { edges { node { status } } } } } }`;
const mutations = (count: number) =>
  `mutation ($input: CreateWorkflowInput!) { ${times(
    count,
    (index) => `m${index}: createWorkflow(input: $input) { __typename }`,
  )} }`;

/** A document at each limit, one past it, and what is answered to that. */
const limits: [string, { at: Asked; past: Asked; message: string }][] = [
  [
    'tokens',
    {
      at: { query: tokens(documentLimits.tokens) },
      past: { query: tokens(documentLimits.tokens + 1) },
      message: 'The document is too large: it may have at most 3000 tokens.',
    },
  ],
  [
    'brackets',
    {
      at: { query: bracketed(documentLimits.brackets - 2) },
      past: { query: bracketed(documentLimits.brackets - 1) },
      message: 'The document is too large: it may have at most 150 brackets open at once.',
    },
  ],
  [
    'brackets, of which it closes none',
    {
      at: { query: bracketed(3) },
      past: { query: `{ me(a: ${'['.repeat(5_000)}` },
      message: 'The document is too large: it may have at most 150 brackets open at once.',
    },
  ],
  [
    'depth',
    {
      at: { query: nested(documentLimits.depth) },
      past: { query: nested(documentLimits.depth + 1) },
      message: 'The document is too large: it may have at most 12 levels of fields.',
    },
  ],
  [
    'depth through fragments',
    {
      at: { query: `query { ...Top } fragment Top on Query ${nested(documentLimits.depth)}` },
      past: { query: `query { ...Top } fragment Top on Query ${nested(documentLimits.depth + 1)}` },
      message: 'The document is too large: it may have at most 12 levels of fields.',
    },
  ],
  [
    'aliases',
    {
      at: { query: aliases(documentLimits.aliases) },
      past: { query: aliases(documentLimits.aliases + 1) },
      message: 'The document is too large: it may have at most 30 aliases.',
    },
  ],
  [
    'aliases in a fragment spread twice',
    {
      at: {
        query: `{ me { user { ...U } } me { user { ...U } } } fragment U on MeUser { ${times(15, (index) => `a${index}: idpId`)} }`,
      },
      past: {
        query: `{ me { user { ...U } } me { user { ...U } } } fragment U on MeUser { ${times(16, (index) => `a${index}: idpId`)} }`,
      },
      message: 'The document is too large: it may have at most 30 aliases.',
    },
  ],
  [
    'directives',
    {
      at: { query: `{ ${times(documentLimits.directives, () => '__typename @include(if: true)')} }` },
      past: { query: `{ ${times(documentLimits.directives + 1, () => '__typename @include(if: true)')} }` },
      message: 'The document is too large: it may have at most 20 directives.',
    },
  ],
  [
    'cost',
    {
      at: { query: `{ ${runPage(100)} schemas { name } }`.replace('schemas { name }', 'run(id: 1) { status }') },
      past: { query: `{ ${runPage(100)} run(id: 1) { workflow { name } } }` },
      message: `The operation costs ${maxCost + 1} and may cost at most ${maxCost}. Ask for shorter pages, fewer nested lists or fewer mutations.`,
    },
  ],
  [
    'cost by variables',
    {
      at: {
        query: `query ($n: Int, $m: Int = 100) { workflows(first: $n) { edges { node { runs(last: $m) { edges { node { status } } } } } } }`,
        variables: { n: 49 },
      },
      past: {
        query: `query ($n: Int, $m: Int = 100) { workflows(first: $n) { edges { node { runs(last: $m) { edges { node { status } } } } } } }`,
        variables: { n: 50 },
      },
      message:
        'The operation costs 5101 and may cost at most 5000. Ask for shorter pages, fewer nested lists or fewer mutations.',
    },
  ],
  [
    'mutations',
    {
      at: { query: mutations(19), variables: { input: { name: '' } } },
      past: { query: mutations(20), variables: { input: { name: 'Never made' } } },
      message:
        'The operation costs 5020 and may cost at most 5000. Ask for shorter pages, fewer nested lists or fewer mutations.',
    },
  ],
];

const test = appTest.extend(
  'appOptions',
  { scope: 'file' },
  { persisted: createPersisted(limits.flatMap(([, { at }]) => at.query)) },
);

let to: Awaited<ReturnType<typeof openFaces>>;
test.beforeAll(async ({ api }) => {
  to = await openFaces(api);
});
afterAll(() => to.close());

describe.each(faces)('over %s', (face) => {
  test.each(limits)('a document at the limit of %s is executed', async (_name, { at }) => {
    const answer = await to.ask(face, at);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toBeTypeOf('object');
  });
});

describe.each(['http', 'socket'] as const)('over %s', (face) => {
  test.each(limits)('a document one over the limit of %s is refused completely', async (_name, { past, message }) => {
    const answer = await to.ask(face, past);
    expect(answer).toEqual({
      status: face === 'http' ? 400 : 'socket',
      errors: [
        { message, extensions: { code: 'BAD_REQUEST' }, ...(answer.errors?.[0] && locations(answer.errors[0])) },
      ],
    });
  });
});

/** Where in the document; syntax aside, the operation. */
const locations = (error: object) => ('locations' in error ? { locations: error.locations } : {});

test('refuses a persisted document whose variables make it cost too much', async () => {
  const [, { past, message }] = limits.find(([name]) => name === 'cost by variables') ?? limits[0]!;
  for (const face of ['http by hash', 'socket by hash'] as const) {
    const { data, errors } = await to.ask(face, past);
    expect({ data, message: errors?.[0]?.message }).toEqual({ data: undefined, message });
  }
});

test('logs none of them', ({ api }) => {
  expect(api.logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
});

test('has created nothing for refused requests', async ({ api }) => {
  const { rows } = await api.database.system.query('SELECT count(*)::int AS made FROM workflows');
  expect(rows[0]).toEqual({ made: 0 });
});

test('accepts batches up to their limit, and limits the cost of each operation', async () => {
  const one = { query: mutations(19), variables: { input: { name: '' } } };
  const at = await to.post(Array.from({ length: batchLimit }, () => one));
  expect(Object.values(at).filter((each) => typeof each === 'object')).toHaveLength(batchLimit);
  expect(await to.post(Array.from({ length: batchLimit + 1 }, () => one))).toEqual({
    status: 400,
    errors: [{ message: 'A request may hold at most 5 operations.', extensions: { code: 'BAD_REQUEST' } }],
  });
});

test('answers the most expensive documents that it accepts quickly', async () => {
  const hostile = [
    `{ ${times(1_400, (index) => `...F${index % 2}`)} } fragment F0 on Query { me { user { idpId } } } fragment F1 on Query { me { user { name } } }`,
    `{ ${times(590, () => 'me { user }')} }`,
    `query { ...A0 } ${times(120, (index) => `fragment A${index} on Query { ...A${index + 1} ...A${index + 1} me { user { id } } }`)} fragment A120 on Query { me { user { id } } }`,
    // The same of nothing that costs anything.
    `{ me { user { ...S0 } } } ${times(120, (index) => `fragment S${index} on MeUser { ...S${index + 1} ...S${index + 1} idpId }`)} fragment S120 on MeUser { name }`,
    `{ ${times(330, (index) => `me { user { idpId(x: ${index}) } }`)} }`,
    `{ ${'... { '.repeat(990)} __typename ${'}'.repeat(990)} }`,
    `{ me(a: ${'['.repeat(1_400)}${']'.repeat(1_400)}) { user { id } } }`,
  ];
  const took = [];
  for (const query of hostile) {
    took.push(await measureCpuTime(async () => expect([200, 400]).toContain((await to.ask('http', { query })).status)));
  }
  expect(Math.max(...took)).toBeLessThan(2_000);
});

describe('the cost', () => {
  const cost = (text: string, variables: object = {}) => {
    const document = parse(text);
    return computeCost(schema, document, getOperationAST(document)!, { ...variables });
  };
  test.each([
    ['scalars and objects', '{ me { user { id name } context { roles } } }', 3],
    ['a page as large as asked for', '{ runs(first: 100) { edges { node { id status } } } }', 101],
    ['a page of no size as the default one', '{ runs { edges { node { id } } } }', 26],
    ['a page over the maximum as the maximum', '{ runs(first: 1000000) { edges { node { id } } } }', 101],
    ['a page from behind', '{ runs(last: 7) { edges { cursor } } }', 8],
    ['a count', '{ runs(first: 1) { totalCount edges { cursor } } }', 27],
    ['a list of its own size', '{ run(id: 1) { logs(first: 20) { message } } }', 21],
    ['a list of no size', '{ run(id: 1) { steps { path } } }', 11],
    ['what a field says of itself', '{ run(id: 1) { payload } }', 11],
    ['lists in lists', '{ runs(first: 10) { edges { node { steps { logs { message } } } } } }', 1111],
    ['a fragment each time it is spread', '{ a: me { ...M } b: me { ...M } } fragment M on Me { user { id } }', 4],
    ['fragments on interfaces', '{ node(id: 1) { ... on Run { workflow { id } } } }', 2],
    [
      'a variable that is not a number, as the maximum',
      'query ($n: Int) { runs(first: $n) { edges { cursor } } }',
      101,
      { n: 'x' },
    ],
    [
      'a variable that is left out, as the default size',
      'query ($n: Int) { runs(first: $n) { edges { cursor } } }',
      26,
    ],
    ['introspection, as nothing', '{ __schema { types { name } } }', 0],
  ])('counts %s', (_name, text, expected, variables: object = {}) => {
    expect(cost(text, variables)).toBe(expected);
  });

  test('stays finite and quick for fragments that double one another', async () => {
    const doubling = times(24, (index) => `fragment D${index} on Run { ...D${index + 1} ...D${index + 1} }`);
    const text = `{ run(id: 1) { ...D0 } } ${doubling} fragment D24 on Run { workflow { id } }`;
    expect(await measureCpuTime(() => expect(cost(text)).toBe(1 + 2 ** 24))).toBeLessThan(500);
  });
});
