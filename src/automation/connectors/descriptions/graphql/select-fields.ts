import {
  getNamedType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql/type/definition.js';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import type { InputSchemas } from './input-schemas.ts';

export interface Selection {
  /** `{ id name }`, with a space before it; empty for a type without fields. */
  text: string;
  /** The schema of the selected value in the answer. */
  schema: JsonSchema;
}

/** The depth to which the fields of objects are selected; the root field's object is the first level. */
const maxDepth = 2;
const maxFields = 200;
/** Fields that wrap lists by the conventions of Relay and others. They do not count as a level. */
const wrappers = new Set(['nodes', 'edges', 'node', 'items', 'pageInfo']);
const maxWrappers = 4;

/**
 * Selects the scalar fields of a type, and of the objects in it down to a depth of two. Fields with required arguments are left out. For a
 * union only `__typename` is selected, because its members may have fields of the same name and different types.
 */
export function selectFields(type: GraphQLOutputType, schemas: InputSchemas): Selection {
  let fields = 0;
  const select = (of: GraphQLOutputType, depth: number, wrapped: number): Selection => {
    const named = getNamedType(of);
    if (isLeafType(named)) return { text: '', schema: schemas.type(of) };
    const parts: string[] = [];
    const properties: Record<string, JsonSchema> = {};
    for (const field of selectable(named)) {
      if (fields >= maxFields) break;
      const isLeaf = isLeafType(getNamedType(field.type));
      const isWrapper = wrappers.has(field.name) && wrapped < maxWrappers;
      if (!isLeaf && depth + (isWrapper ? 0 : 1) > maxDepth) continue;
      fields += 1;
      const inner = select(field.type, isWrapper ? depth : depth + 1, wrapped + (isWrapper ? 1 : 0));
      parts.push(field.name + inner.text);
      properties[field.name] = inner.schema;
    }
    if (parts.length === 0) {
      parts.push('__typename');
      properties['__typename'] = { type: 'string' };
    }
    return { text: ` { ${parts.join(' ')} }`, schema: wrap(of, { type: 'object', properties }) };
  };
  return select(type, 1, 0);
}

function selectable(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const fields = Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  // `edges` holds the same objects as `nodes`.
  return fields.some(({ name }) => name === 'nodes') ? fields.filter(({ name }) => name !== 'edges') : fields;
}

/** Wraps an object's schema in the lists of its type. The object and each list allow null unless the type says otherwise. */
function wrap(type: GraphQLOutputType, object: JsonSchema): JsonSchema {
  if (isNonNullType(type)) return wrapPresent(type.ofType as GraphQLOutputType, object);
  const present = wrapPresent(type, object);
  return { ...present, type: [present['type'] as string, 'null'] };
}

const wrapPresent = (type: GraphQLOutputType, object: JsonSchema): JsonSchema =>
  isListType(type) ? { type: 'array', items: wrap(type.ofType as GraphQLOutputType, object) } : object;
