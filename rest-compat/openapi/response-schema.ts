import { isDeepStrictEqual } from 'node:util';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { listRestValues } from '#rest/enums.ts';
import type { Operation } from '#rest/execute.ts';
import { componentRef, type JsonSchema } from '#rest/replies.ts';

const scalars: Record<string, JsonSchema> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  Long: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string', format: 'decimal' },
};

/**
 * The JSON Schema of the result of an operation's root field, derived from its selections: aliases become names of
 * properties, and a selection that is one named fragment becomes the component of that name, collected in `components`.
 */
export function responseSchema(
  schema: GraphQLSchema,
  { document, field, key }: Operation,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let root: SelectionSetNode | undefined;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) root = definition.selectionSet;
  }

  function ofType(type: GraphQLOutputType, selections: SelectionSetNode | undefined): JsonSchema {
    return isNonNullType(type) ? ofNullable(type.ofType, selections) : orNull(ofNullable(type, selections));
  }

  function ofNullable(type: GraphQLOutputType, selections: SelectionSetNode | undefined): JsonSchema {
    if (isListType(type)) return { type: 'array', items: ofType(type.ofType, selections) };
    const named = getNamedType(type);
    if (isEnumType(named)) return { type: 'string', enum: listRestValues(named) };
    if (isScalarType(named)) return { ...scalars[named.name] };
    return ofSelections(named, selections as SelectionSetNode);
  }

  function ofSelections(type: GraphQLNamedType, { selections }: SelectionSetNode): JsonSchema {
    const [only, ...more] = selections;
    if (only?.kind === Kind.FRAGMENT_SPREAD && more.length === 0) return component(only.name.value);
    const properties: Record<string, JsonSchema> = {};
    collect(type, selections, properties);
    return { type: 'object', properties, required: Object.keys(properties) };
  }

  function component(name: string): JsonSchema {
    const fragment = fragments.get(name) as FragmentDefinitionNode;
    const type = schema.getType(fragment.typeCondition.name.value) as GraphQLNamedType;
    const found = ofSelections(type, fragment.selectionSet);
    if (!isDeepStrictEqual((components[name] ??= found), found)) {
      throw new Error(`Two documents have a fragment ${name}, each of its own: give one another name.`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function collect(
    type: GraphQLNamedType,
    selections: SelectionSetNode['selections'],
    into: Record<string, JsonSchema>,
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        into[responseName(selection)] = ofField(type, selection);
        continue;
      }
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      const condition = inner?.typeCondition ? schema.getType(inner.typeCondition.name.value) : type;
      if (inner && condition && !isRefusal(condition)) collect(condition, inner.selectionSet.selections, into);
    }
  }

  function ofField(type: GraphQLNamedType, selection: FieldNode): JsonSchema {
    const { value: name } = selection.name;
    if (name === '__typename') return { type: 'string' };
    const declared = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    if (!declared) throw new Error(`${type.name} has no field ${name}.`);
    const { tenantSchema } = declared.extensions;
    if (typeof tenantSchema === 'string') return { $ref: componentRef(tenantSchema) };
    const found = ofType(declared.type, selection.selectionSet);
    return declared.description && !('$ref' in found) ? { ...found, description: declared.description } : found;
  }

  const selection = root?.selections.find(
    (node): node is FieldNode => node.kind === Kind.FIELD && responseName(node) === key,
  );
  const { type } = field;
  // A null result is a 404, so the body is never null.
  return ofNullable(isNonNullType(type) ? type.ofType : type, selection?.selectionSet);
}

/** The error members of a union are not part of a successful response. */
const isRefusal = (type: GraphQLNamedType): boolean =>
  type.name === 'Error' || (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Error'));

const responseName = (field: FieldNode): string => (field.alias ?? field.name).value;

function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  if ('enum' in schema) return { ...schema, type: ['string', 'null'], enum: [...(schema['enum'] as string[]), null] };
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
