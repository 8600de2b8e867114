import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';
import { expect } from 'vitest';
import { maxListed } from '#src/graphql/bounded-lists.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { schema } from '#test/setup/schema.ts';
import { buildOperation, type Known, makeValue, rootFields } from './generate-operation.ts';
import { makeOwned } from './owned-objects.ts';

type Member = GraphQLArgument | GraphQLInputField;

/** Finds the lists among the members and below them, as the members that lead to each. */
function findLists(members: readonly Member[], above: Member[] = []): Member[][] {
  return members.flatMap((member) => {
    const way = [...above, member];
    const type = getNamedType(member.type);
    const isAgain = above.some((each) => getNamedType(each.type) === type);
    return [
      ...(isListType(getNullableType(member.type)) ? [way] : []),
      ...(isInputObjectType(type) && !isAgain ? findLists(Object.values(type.getFields()), way) : []),
    ];
  });
}

const written = (way: Member[]): string => way.map(({ name }) => name).join('.');

/** A list with one value too many. */
const longList = (type: GraphQLInputType): unknown[] =>
  Array.from({ length: maxListed + 1 }, () => (makeValue(type, {}) as unknown[])[0]);

/** The arguments that contain the long list, keyed by name. */
function argumentsFor(way: Member[]): Known {
  const list = way.at(-1) as Member;
  let known: Known = { [list.name]: longList(list.type) };
  for (const { name, type } of way.slice(0, -1).toReversed()) known = { ...known, [name]: makeValue(type, known) };
  return known;
}

const ofRoots = rootFields.flatMap((root) =>
  findLists(root.field.args)
    // Services parse the inputs of mutations, except for their filters.
    .filter((way) => root.operation !== OperationTypeNode.MUTATION || written(way).startsWith('input.filter.'))
    .map((way) => ({ name: `${root.name}: ${written(way)}`, root, way })),
);

/** Fields of objects that have such lists, with a document that gives one to each as `$values`. */
const ofObjects: Record<string, string> = {
  'Run.stepConnection: filter.status': 'stepConnection(filter: { status: $values }) { __typename }',
  'Run.stepCounts: filter.status': 'stepCounts(filter: { status: $values }) { __typename }',
  'Run.logs: filter.level': 'logs(filter: { level: $values }) { __typename }',
  'Step.logs: filter.level': 'stepConnection { edges { node { logs(filter: { level: $values }) { __typename } } } }',
};

let api: TestApp;
let owned: Record<string, string>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owned = await makeOwned(api);
});

interface Refused {
  errors?: { extensions?: { code?: string; fields?: Record<string, string[]> } }[];
}

const sentence = (path: string) => `The field ${path} must have at most 200 items.`;

test.for(ofRoots.filter(({ root }) => root.operation === OperationTypeNode.QUERY))(
  'a long list is refused by $name',
  async ({ root, way }) => {
    const { query, variables } = buildOperation(root, argumentsFor(way));
    const { errors } = (await api.graphql(query, variables)) as Refused;
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { [written(way)]: [sentence(written(way))] },
    });
  },
);

test.for(ofRoots.filter(({ root }) => root.operation === OperationTypeNode.MUTATION))(
  'a long list is refused by $name',
  async ({ root, way }) => {
    const { query, variables } = buildOperation(root, argumentsFor(way));
    const told = query.replace('code message', 'code message ... on ValidationError { fields { path messages } }');
    const { data } = await api.graphql<Record<string, { fields?: unknown }>>(told, variables);
    const path = written(way.slice(1));
    expect(data[root.field.name]?.fields).toEqual([{ path, messages: [sentence(path)] }]);
  },
);

test.for(ofRoots.filter(({ root }) => root.operation === OperationTypeNode.SUBSCRIPTION))(
  'a long list is refused by $name',
  async ({ root, way }) => {
    const client = await connect(api);
    const { query, variables } = buildOperation(root, argumentsFor(way));
    subscribe(client, '1', query, variables);
    await client.until((messages) => ofOperation(messages, '1').length > 0);
    expect(JSON.stringify(client.messages)).toContain(sentence(written(way)));
    client.socket.close();
  },
);

test('the table of this test has every list among the arguments of objects’ fields', () => {
  const found = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !['Query', 'Mutation', 'Subscription'].includes(type.name)
      ? Object.values(type.getFields()).flatMap((field) =>
          findLists(field.args).map((way) => `${type.name}.${field.name}: ${written(way)}`),
        )
      : [],
  );
  expect(found.toSorted()).toEqual(Object.keys(ofObjects).toSorted());
});

test.for(Object.entries(ofObjects))('a long list is refused by %s', async ([name, selection]) => {
  const path = name.slice(name.indexOf(' ') + 1);
  const [type, value] = path.endsWith('level') ? ['LogLevel', 'INFO'] : ['StepStatus', 'FAILED'];
  const query = `query ($id: ID!, $values: [${type}!]) { node(id: $id) { ... on Run { ${selection} } } }`;
  const { errors } = (await api.graphql(query, {
    id: owned['Run'],
    values: Array.from({ length: maxListed + 1 }, () => value),
  })) as Refused;
  expect(errors?.[0]?.extensions?.fields).toEqual({ [path]: [sentence(path)] });
});

test('a list of the greatest allowed length passes', async () => {
  const status = Array.from({ length: maxListed }, () => 'FAILED');
  const { errors } = (await api.graphql('query ($filter: RunFilter) { runs(filter: $filter) { totalCount } }', {
    filter: { status },
  })) as Refused;
  expect(errors).toBeUndefined();
});
