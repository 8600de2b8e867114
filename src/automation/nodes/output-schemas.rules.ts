import { setOwn } from '#src/automation/expressions/json-value.ts';
import { jsonType } from '#src/automation/expressions/value-type.ts';
import type { NodeManifest, Port } from '#src/automation/node-api/manifest.ts';

/** A JSON Schema (2020-12), as far as it is known. */
export interface ValueSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, ValueSchema>;
  required?: string[];
  items?: ValueSchema;
}

export interface BranchOutputs {
  branch: string;
  schema: ValueSchema;
  /** Parts of the schema come from stored outputs. */
  isInferred: boolean;
}

/** Outputs that a step left, on the branch that it took. */
export interface OutputSample {
  branch: string;
  outputs: unknown;
}

export const schemaLimits = {
  /** Levels below the outputs themselves. */
  depth: 6,
  /** Members of one object. */
  properties: 100,
  /** Items of a list that are looked at. */
  items: 20,
} as const;

/**
 * What a node answers on each of its branches: the outputs of its manifest, and where that leaves open what they hold, what steps of it
 * left. Other branches that samples took follow those of the manifest.
 */
export function describeOutputs(
  {
    branches = ['default'],
    outputs = [],
    output_schemas: schemas = {},
  }: Pick<NodeManifest, 'branches' | 'outputs' | 'output_schemas'>,
  samples: readonly OutputSample[],
): BranchOutputs[] {
  const taken = Map.groupBy(samples, ({ branch }) => branch);
  return [...new Set([...branches, ...taken.keys()])].map((branch) => {
    const described = Object.hasOwn(schemas, branch) ? schemas[branch] : undefined;
    if (described) return { branch, schema: described as ValueSchema, isInferred: false };
    const found = inferSchema((taken.get(branch) ?? []).map((sample) => sample.outputs));
    const declared = describePorts(outputs);
    const properties = mergeProperties(declared.properties ?? {}, found?.properties ?? {});
    const isInferred = properties.some(({ isFound }) => isFound);
    const schema = { ...declared, properties: toProperties(properties.map(({ name, value }) => [name, value])) };
    return { branch, schema, isInferred };
  });
}

function describePorts(ports: readonly Port[]): ValueSchema {
  const properties = ports.map(({ name, type = 'any', description }): [string, ValueSchema] => [
    name,
    { ...(type !== 'any' && { type }), ...(description !== undefined && { description }) },
  ]);
  const required = ports.filter((port) => port.required === true).map(({ name }) => name);
  return { type: 'object', properties: toProperties(properties), ...(required.length > 0 && { required }) };
}

/** A declared type stands; samples add what an object or a list holds, and outputs that the manifest does not name. */
function mergeProperties(declared: Record<string, ValueSchema>, found: Record<string, ValueSchema>) {
  const own = Object.entries(declared).map(([name, port]) => {
    const sample = Object.hasOwn(found, name) ? found[name] : undefined;
    const isFound = sample !== undefined && (port.type === undefined || isNested(port.type)) && fits(port, sample);
    return { name, value: isFound ? { ...port, ...sample } : port, isFound };
  });
  const others = Object.entries(found).filter(([name]) => !Object.hasOwn(declared, name));
  return [...own, ...others.map(([name, value]) => ({ name, value, isFound: true }))].slice(0, schemaLimits.properties);
}

const isNested = (type: string | string[]): boolean => type === 'object' || type === 'array';
const fits = ({ type }: ValueSchema, sample: ValueSchema): boolean => type === undefined || type === sample.type;

/** The schema that all values fulfil; undefined without values. */
export function inferSchema(values: readonly unknown[], depth = 0): ValueSchema | undefined {
  if (values.length === 0) return undefined;
  const types = [...new Set(values.map((value) => jsonType(value)))].toSorted();
  const [only] = types;
  const schema: ValueSchema = { type: only !== undefined && types.length === 1 ? only : types };
  if (depth >= schemaLimits.depth) return schema;
  const lists = values.filter((value) => Array.isArray(value));
  const items = inferSchema(
    lists.flatMap((list: unknown[]) => list.slice(0, schemaLimits.items)),
    depth + 1,
  );
  if (items) schema.items = items;
  const objects = values.filter(isObject);
  return objects.length === 0 ? schema : { ...schema, ...inferMembers(objects, depth) };
}

function inferMembers(objects: readonly Record<string, unknown>[], depth: number): ValueSchema {
  const names = [...new Set(objects.flatMap((each) => Object.keys(each).slice(0, schemaLimits.properties)))];
  const kept = names.slice(0, schemaLimits.properties);
  const properties = kept.map((name): [string, ValueSchema] => {
    const held = objects.filter((each) => Object.hasOwn(each, name)).map((each) => each[name]);
    return [name, inferSchema(held, depth + 1) ?? {}];
  });
  return { properties: toProperties(properties) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toProperties(entries: readonly [string, ValueSchema][]): Record<string, ValueSchema> {
  const properties: Record<string, ValueSchema> = {};
  for (const [name, value] of entries) setOwn(properties, name, value);
  return properties;
}
