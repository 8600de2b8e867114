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
  /** What the selected value looks like in the answer. */
  schema: JsonSchema;
}

/** Objects within the root field's object whose fields are selected. */
const maxDepth = 2;
const maxFields = 200;
/** The wrappers of lists by the conventions of Relay and others are no depth of their own. */
const wrappers = new Set(['nodes', 'edges', 'node', 'items', 'pageInfo']);
const maxWrappers = 4;

/**
 * Selects the fields without objects or required arguments of a type and, down to a depth of two, of the objects in it. Of a union only the
 * name of the type is selected, as its members may have fields of one name and different types.
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
  // Nodes are what edges hold.
  return fields.some(({ name }) => name === 'nodes') ? fields.filter(({ name }) => name !== 'edges') : fields;
}

/** The object in the lists around it; each of them allows null unless it says otherwise. */
function wrap(type: GraphQLOutputType, object: JsonSchema): JsonSchema {
  if (isNonNullType(type)) return wrapPresent(type.ofType as GraphQLOutputType, object);
  const present = wrapPresent(type, object);
  return { ...present, type: [present['type'] as string, 'null'] };
}

const wrapPresent = (type: GraphQLOutputType, object: JsonSchema): JsonSchema =>
  isListType(type) ? { type: 'array', items: wrap(type.ofType as GraphQLOutputType, object) } : object;
