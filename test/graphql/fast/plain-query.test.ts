import fc from 'fast-check';
import { buildSchema, execute, type ExecutionArgs, type GraphQLObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { planPlainQuery } from '#src/graphql/fast/plain-query.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { schema as product } from '#test/setup/schema.ts';

const schema = buildSchema(/* GraphQL */ `
  scalar Any
  enum Colour {
    RED
    BLUE
  }
  interface Named {
    name: String
  }
  type Leaf implements Named {
    name: String
    size: Int!
    colour: Colour
    tags: [String!]
    any: Any
  }
  type Branch implements Named {
    name: String
    leaf: Leaf
    leaves: [Leaf!]!
    branch: Branch
    doubled: Int
    late: String
    informed: String
    lazy: String
    sized(by: Int): Int
    named: Named
  }
  type Query {
    branch(times: Int = 1): Branch
    branches: [Branch]
    sure: Branch!
    failing: String
    plain: String
  }
  type Mutation {
    branch: Branch
  }
`);
const resolvers = (type: string, fields: Record<string, unknown>) => {
  const known = (schema.getType(type) as GraphQLObjectType).getFields();
  for (const [name, resolve] of Object.entries(fields)) Object.assign(known[name] ?? {}, { resolve });
};
interface Source {
  leaves?: unknown[];
  name?: string;
}
resolvers('Branch', {
  doubled: ({ leaves }: Source) => (leaves?.length ?? 0) * 2,
  late: ({ name }: Source) => Promise.resolve(name),
  informed: (_source: Source, _args: object, _context: object, info: { fieldName: string }) => info.fieldName,
  // Declares one parameter and reaches for the fourth all the same.
  lazy: (...all: [Source, ...unknown[]]) => (all[3] as { fieldName: string }).fieldName,
});
resolvers('Query', {
  branch: (root: { branch: unknown }) => root.branch,
  branches: async (root: { branches: unknown }) => root.branches,
  sure: async (root: { branch: unknown }) => root.branch,
  failing: async ({ fault }: { fault?: () => never }) => {
    fault?.();
    throw new Error('no');
  },
  plain: () => 'text',
});

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Both executors' answers; the plain one's is undefined where it stands back. */
async function both(text: string, rootValue: unknown, more: Partial<ExecutionArgs> = {}) {
  const document = parse(text);
  const args = { schema, document, rootValue, contextValue: {}, ...more };
  const plain = await planPlainQuery(schema, document)?.execute(args);
  return { plain: plain && json(plain), general: json(await execute(args)) };
}

const leaf = { name: 'l', size: 1, colour: 'RED', tags: ['a'], any: JSON.parse('{"then":"there"}') as unknown };
const nothing = Promise.resolve(null);
const refusing = {
  get name() {
    return Promise.reject(new Error('no'));
  },
};
const root = {
  branch: { name: 'b', leaf, leaves: [leaf, leaf], branch: { name: 'c', leaves: [] }, sized: 3 },
  branches: [],
};

describe('a plain query', () => {
  test.each([
    ['{ branch { name leaf { size colour tags any } leaves { name __typename } } plain }', {}],
    ['query Named { other: branch { a: name b: name } sure { __typename } }', { operationName: 'Named' }],
    ['query ($n: Int!) { branch(times: $n) { doubled } }', { variableValues: { n: 2 } }],
    [
      '{ branch { ...F ... on Named { name } ... on Branch { leaves { size } } ... { leaves { name } } } } fragment F on Branch { branch { name } leaf { size } }',
      {},
    ],
    ['{ branch { leaf { ... on Named { name } } } branch { leaf { size } name } }', {}],
    ['{ branch { name late doubled } other: branch { late } }', {}],
  ])('is answered as the general executor does: %s', async (text, more) => {
    const { plain, general } = await both(text, root, more);
    expect(plain).toEqual(general);
    expect(Object.keys((plain as { data: object }).data)).toEqual(Object.keys((general as { data: object }).data));
  });

  test.each([
    ['a mutation', 'mutation { branch { name } }'],
    ['several operations', 'query A { plain } query B { plain }'],
    ['a directive', '{ branch { name @skip(if: false) } }'],
    ['a directive on a fragment', '{ branch { ... @include(if: true) { name } } }'],
    ['introspection', '{ __schema { queryType { name } } }'],
    ['an abstract type', '{ branch { named { name } } }'],
    ['a field with arguments below the root', '{ branch { sized(by: 2) } }'],
    ['a resolver that takes info', '{ branch { informed } }'],
    ['a resolver whose parameters are not to be told', '{ branch { lazy } }'],
    ['a key that would set a prototype', '{ branch { __proto__: name } }'],
    ['a query that nests without end', `{ ${'branch { '.repeat(40)} name ${'} '.repeat(40)} }`],
    ['a field that is not there', '{ branch { nothing } }'],
  ])('is not taken with %s', async (_name, text) => {
    expect((await both(text, root)).plain).toBeUndefined();
  });

  test.each([
    ['a root field fails', '{ plain failing }', root, {}],
    [
      'an object below the root is a promise',
      '{ branch { leaf { name } } }',
      { branch: { leaf: Promise.resolve(leaf) } },
      {},
    ],
    ['a leaf that arrives later fails', '{ branch { late } }', { branch: refusing }, {}],
    [
      'a leaf arrives as null where it may not',
      '{ branch { leaf { size } } }',
      { branch: { leaf: { size: nothing } } },
      {},
    ],
    ['a method stands for a property', '{ branch { name } }', { branch: { name: () => 'called' } }, {}],
    ['a list is text', '{ branch { leaves { name } } }', { branch: { leaves: 'text' } }, {}],
    ['a value is not of its enum', '{ branch { leaf { colour } } }', { branch: { leaf: { colour: 'GREEN' } } }, {}],
    ['a number is text', '{ branch { leaf { size } } }', { branch: { leaf: { size: 'many' } } }, {}],
    ['what may not be null is', '{ sure { name } }', {}, {}],
    ['an item may not be null and is', '{ branch { leaves { name } } }', { branch: { leaves: [null] } }, {}],
    ['a variable is missing', 'query ($n: Int!) { branch(times: $n) { name } }', root, {}],
    ['another operation is asked for', 'query A { plain }', root, { operationName: 'B' }],
  ])('stands back when %s', async (_name, text, rootValue, more) => {
    expect((await both(text, rootValue, more)).plain).toBeUndefined();
  });

  test('excludes a document for good because of its shape, but not because of one failure', async () => {
    const document = parse('{ branch { name } }');
    const plan = planPlainQuery(schema, document);
    const run = (branch: unknown) => plan?.execute({ schema, document, rootValue: { branch } });
    expect(await run(Promise.reject(new Error('once')))).toBeUndefined();
    expect(await run({ name: 'x' })).toEqual({ data: { branch: { name: 'x' } } });
    expect(await run({ name: Promise.resolve('x') })).toEqual({ data: { branch: { name: 'x' } } });
    expect(await run({ name: () => 'x' })).toBeUndefined();
    expect(await run({ name: 'x' })).toBeUndefined();
  });

  test('fails completely on an outage, without repeating the query', async () => {
    let asked = 0;
    const fault = () => {
      asked += 1;
      throw new OutageError('The database is away.');
    };
    const document = parse('{ plain failing }');
    const answer = await planPlainQuery(schema, document)?.execute({ schema, document, rootValue: { fault } });
    const originalError = { name: 'OutageError' };
    expect(answer).toMatchObject({
      data: null,
      errors: [
        { path: ['plain'], originalError },
        { path: ['failing'], originalError },
      ],
    });
    expect(asked).toBe(1);
  });

  test('covers a list of runs, with its ids, cursors and page info', () => {
    const list =
      parse(`query ($filter: RunFilter) { runs(first: 50, filter: $filter) { edges { cursor node { ...Row } } pageInfo { endCursor hasNextPage } } }
      fragment Row on Run { id databaseId workflowName status error engineRunId engineWorkflowId startedAt durationMs }`);
    expect(planPlainQuery(product, list)).toBeDefined();
    expect(planPlainQuery(product, parse('{ runs { edges { node { payload } } } }'))).toBeUndefined();
  });

  test('returns a frozen object in every place, with the fields selected there', async () => {
    const leaf = Object.freeze({ name: 'a', size: 1 });
    const { plain, general } = await both(
      '{ branch { leaf { name size } leaves { size } others: leaves { n: name } } }',
      {
        branch: { leaf, leaves: [leaf, leaf] },
      },
    );
    expect(plain).toEqual(general);
  });

  test('returns lists of frozen objects that share some at the same indexes', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => Object.freeze({ name, size: 1 }));
    const branches = [[a, b, c], [a, c, c], [b], [], [a, b, c, a], [{ name: 'own', size: 2 }, b]];
    const rootValue = { branches: branches.map((leaves) => ({ leaves })) };
    const { plain, general } = await both('{ branches { leaves { name } } }', rootValue);
    expect(plain).toEqual(general);
    expect(plain).toBeDefined();
  });

  test('always returns the result of the general executor, for any selection and any data', async () => {
    const text = fc.constantFrom('a', 'RED', 'BLUE', '', null, undefined);
    const someLeaf = fc.option(
      fc.record({
        name: text,
        size: fc.constantFrom(0, 1, null, 2.5),
        colour: text,
        tags: fc.option(fc.array(text)),
        any: fc.jsonValue(),
      }),
    );
    const leafFields = fc.subarray(['name', 'size', 'c: colour', 'tags', 'any', '__typename'], { minLength: 1 });
    const branchFields = fc.record({
      own: fc.subarray(['name', 'n: name', 'doubled', 'late', '__typename']),
      leaf: fc.option(leafFields),
      leaves: fc.option(leafFields),
    });
    const source = fc.record({ name: text, leaf: someLeaf, leaves: fc.option(fc.array(someLeaf, { maxLength: 3 })) });
    await fc.assert(
      fc.asyncProperty(
        branchFields,
        source,
        fc.array(fc.option(source), { maxLength: 3 }),
        async (fields, branch, branches) => {
          const selected = [
            ...fields.own,
            ...(fields.leaf ? [`leaf { ${fields.leaf.join(' ')} }`] : []),
            ...(fields.leaves ? [`leaves { ${fields.leaves.join(' ')} }`] : []),
          ].join(' ');
          fc.pre(selected !== '');
          const { plain, general } = await both(`{ branch { ${selected} } branches { ${selected} } }`, {
            branch,
            branches,
          });
          if (plain !== undefined) expect(plain).toEqual(general);
          // It stands back from errors only.
          else expect('errors' in (general as object)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
