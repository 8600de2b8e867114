import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findBrokenPlaces } from '#src/automation/connectors/changes/broken-nodes.rules.ts';
import { compareNodes } from '#src/automation/connectors/changes/compare-nodes.rules.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import {
  createRandom,
  type Json,
  listOperations,
  type Member,
  answerSchema,
  bodySchema,
  listMembers,
  pick,
  requiredIn,
} from './mutate-api.ts';
import { type UsedOperation, useInWorkflow, useOperation } from './using-workflow.ts';

// The folder beside the checkout that holds real descriptions, if there is one.
const folder = new URL('../../../../../shared/specs/', import.meta.url);
const files = [
  'adyen-checkout-payments-openapi31.json',
  'business-central-v2-openapi30.json',
  'chatwoot-openapi30.json',
  'shopware-admin-order-openapi31.json',
  'weclapp-salesorder-article-openapi31.json',
  'xentral-salesorders-openapi31.json',
];

/** The places that a change breaks; undefined if the operation has nothing that the change could be made to. */
type Mutation = (used: UsedOperation, document: Json, random: () => number) => string[] | undefined;

const broken = (is: boolean, place: string): string[] => (is ? [place] : []);
const listReaders = ({ id, reads }: UsedOperation, path: readonly string[]): string[] =>
  [...reads].flatMap(([place, read]) =>
    path.every((name, index) => read[index] === name) ? [`read-${id} ${place}`] : [],
  );
const without = (holder: Json, name: string): void => {
  delete (holder['properties'] as Json)[name];
  if (holder['required']) holder['required'] = requiredIn(holder).filter((each) => each !== name);
};
const isScalar = ({ schema }: Member): boolean =>
  ['string', 'integer', 'number', 'boolean'].includes(String(schema['type']));
const otherType = ({ schema }: Member): void => {
  const type = schema['type'] === 'string' ? 'integer' : 'string';
  for (const key of Object.keys(schema)) delete schema[key];
  schema['type'] = type;
};
/** An object whose only member went away would allow any. */
const hasOthers = ({ holder }: Member): boolean => Object.keys(holder['properties'] as Json).length > 1;
const findParent = ({ path }: Member): string => ['config.body', ...path.slice(0, -1)].join('.');

const breaking: Record<string, Mutation> = {
  'a field is removed': ({ id, fields, set }, _document, random) => {
    const found = pick(random, fields.filter(hasOthers));
    if (!found) return undefined;
    without(found.holder, found.name);
    return broken(set.has(found.at), `${id} ${found.at}`);
  },
  'a field is renamed': ({ id, fields, set }, _document, random) => {
    const found = pick(random, fields);
    if (!found) return undefined;
    const isRequired = requiredIn(found.holder).includes(found.name);
    without(found.holder, found.name);
    (found.holder['properties'] as Json)['renamed_here'] = found.schema;
    if (isRequired) found.holder['required'] = [...requiredIn(found.holder), 'renamed_here'];
    const needs = isRequired && set.has(findParent(found));
    return [
      ...broken(set.has(found.at), `${id} ${found.at}`),
      ...broken(needs, `${id} ${findParent(found)}.renamed_here`),
    ];
  },
  'a field has another type': ({ id, fields, set }, _document, random) => {
    const found = pick(random, fields.filter(isScalar));
    if (!found) return undefined;
    otherType(found);
    return broken(set.has(found.at), `${id} ${found.at}`);
  },
  'a field is required now': ({ id, fields, set }, _document, random) => {
    const found = pick(
      random,
      fields.filter(({ field }) => field.required !== true),
    );
    if (!found) return undefined;
    found.holder['required'] = [...requiredIn(found.holder), found.name];
    return broken(!set.has(found.at) && set.has(findParent(found)), `${id} ${found.at}`);
  },
  'a field takes fewer values': ({ id, config, fields, set }, _document, random) => {
    const found = pick(
      random,
      fields.filter(({ schema }) => schema['type'] === 'string'),
    );
    if (!found) return undefined;
    const { schema, at } = found;
    const values = schema['enum'] as unknown[] | undefined;
    if (!values || values.length < 2) {
      schema['enum'] = ['one', 'two'];
      return broken(set.has(at), `${id} ${at}`);
    }
    const lost = pick(random, values);
    schema['enum'] = values.filter((value) => value !== lost);
    const value = at
      .split('.')
      .slice(1)
      .reduce<unknown>((place, name) => (place as Json | undefined)?.[name], config);
    return broken(value === lost, `${id} ${at}`);
  },
  'a parameter is removed': ({ id, operation, node, set }, _document, random) => {
    const all = (operation['parameters'] ?? []) as Json[];
    const found = pick(
      random,
      all.filter(({ name, in: where }) => name !== undefined && where === 'query'),
    );
    const field = node.call?.parameters.find(({ name }) => name === found?.['name'])?.field;
    // A parameter that pages would take the fields of paging along.
    if (!found || field === undefined || node.call?.paging) return undefined;
    operation['parameters'] = all.filter((each) => each !== found);
    return broken(set.has(`config.${field}`), `${id} config.${field}`);
  },
  'a parameter is sent elsewhere': ({ id, operation, node, set }, _document, random) => {
    const all = (operation['parameters'] ?? []) as Json[];
    const found = pick(
      random,
      all.filter(({ name, in: where }) => name !== undefined && where === 'query'),
    );
    const field = node.call?.parameters.find(({ name }) => name === found?.['name'])?.field;
    // A parameter that pages would take the fields of paging along.
    if (!found || field === undefined || node.call?.paging) return undefined;
    found['in'] = 'header';
    return broken(set.has(`config.${field}`), `${id} config.${field}`);
  },
  'an operation is removed': ({ id, path, method }, document) => {
    delete ((document['paths'] as Json)[path] as Json)[method];
    return [`${id} node`];
  },
  'a member of an answer is removed': (used, _document, random) => {
    const found = pick(random, used.answers.filter(hasOthers));
    if (!found) return undefined;
    without(found.holder, found.name);
    return listReaders(used, found.path);
  },
  'a member of an answer has another type': (used, _document, random) => {
    const found = pick(random, used.answers.filter(isScalar));
    if (!found) return undefined;
    otherType(found);
    return listReaders(used, found.path);
  },
};

const harmless: Record<string, Mutation> = {
  'a field is added': ({ fields }, _document, random) => {
    const found = pick(random, fields);
    if (!found) return undefined;
    (found.holder['properties'] as Json)['added_here'] = { type: 'string' };
    return [];
  },
  'an operation is added': ({ operation }, document) => {
    (document['paths'] as Json)['/added/here'] = { get: { ...operation, operationId: 'addedHere' } };
    return [];
  },
  'texts change': ({ fields, answers, operation }) => {
    operation['summary'] = operation['description'] = 'Another text.';
    for (const { schema } of [...fields, ...answers]) schema['description'] = 'Another text.';
    return [];
  },
  'a field takes more values': ({ fields }, _document, random) => {
    const found = pick(
      random,
      fields.filter(({ schema }) => Array.isArray(schema['enum'])),
    );
    if (!found) return undefined;
    found.schema['enum'] = [...(found.schema['enum'] as unknown[]), 'added_here'];
    return [];
  },
  'a field need not be given any more': ({ fields }, _document, random) => {
    const found = pick(
      random,
      fields.filter(({ field }) => field.required === true),
    );
    if (!found) return undefined;
    found.holder['required'] = requiredIn(found.holder).filter((name) => name !== found.name);
    return [];
  },
  'a member of an answer is added': ({ answers }, _document, random) => {
    const found = pick(random, answers);
    if (!found) return undefined;
    (found.holder['properties'] as Json)['added_here'] = { type: 'string' };
    return [];
  },
};

const make = async (document: Json, paths: string[]) =>
  makePackage(await readDescription(Buffer.from(JSON.stringify(document))), { paths }, 'real').nodes;

/** Uses five operations of a description in a workflow, and changes one of them. */
async function tryChange(seed: number, mutation: Mutation) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const random = createRandom(seed * 1_000 + attempt);
    const document = JSON.parse(readFileSync(new URL(pick(random, files), folder), 'utf8')) as Json;
    const operations = listOperations(document);
    const chosen = new Set(Array.from({ length: 5 }, () => pick(random, operations)));
    // Inlines what is used first, so that both descriptions differ in the change alone.
    for (const operation of chosen)
      for (const schema of [bodySchema(document, operation), answerSchema(document, operation)])
        if (schema) listMembers(document, schema);
    const paths = [...[...chosen].map(({ path }) => path), '/added/here'];
    const before = await make(document, paths);
    const used = [...chosen].flatMap((operation, index) => {
      const node = before.find(
        ({ call }) => call?.method === operation.method.toUpperCase() && call.path === operation.path,
      );
      return node ? [useOperation(document, operation, { node, id: `call-${index}`, random })] : [];
    });
    const [target] = used;
    const expected = target && mutation(target, document, random);
    if (!expected) continue;
    const after = await make(document, paths);
    const changes = compareNodes(before, after);
    const found = findBrokenPlaces(useInWorkflow(used), ({ node: slug }) => {
      const old = before.find((node) => node.slug === slug);
      return old && { before: old, after: after.find((node) => node.slug === slug) };
    });
    return { slug: target.node.slug, expected, changes, found: found.map(({ node, path }) => `${node} ${path}`) };
  }
  throw new Error('No operation has anything to change.');
}

const cases = Object.keys(breaking).flatMap((name) => Array.from({ length: 10 }, (_, seed) => [name, seed] as const));
const harmlessCases = Object.keys(harmless).flatMap((name) =>
  Array.from({ length: 5 }, (_, seed) => [name, seed] as const),
);
const names = [...Object.keys(breaking), ...Object.keys(harmless)];
const seedFor = (name: string, seed: number): number => names.indexOf(name) * 100 + seed + 1;

test.runIf(existsSync(folder)).each(cases)('%s: exactly what uses it is named (seed %i)', async (name, seed) => {
  const { slug, expected, changes, found } = await tryChange(seedFor(name, seed), breaking[name] as Mutation);
  expect(found.toSorted()).toEqual(expected.toSorted());
  expect(changes.filter(({ isBreaking }) => isBreaking).length).toBeGreaterThan(0);
  expect(changes.filter((change) => change.slug !== slug)).toEqual([]);
});

test.runIf(existsSync(folder)).each(harmlessCases)('%s: nothing is named (seed %i)', async (name, seed) => {
  const { expected, changes, found } = await tryChange(seedFor(name, seed), harmless[name] as Mutation);
  expect(found).toEqual(expected);
  expect(changes.filter(({ isBreaking }) => isBreaking)).toEqual([]);
});
