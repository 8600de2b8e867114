import {
  type DocumentNode,
  getNamedType,
  getNullableType,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';

// Enum values are upper case in the graph (`SUCCEEDED`) and lower case in REST, the code and the database. They are
// converted only here, according to the types of selections and variables.

/** All values of an enum as REST writes them. */
export const listRestValues = (type: GraphQLEnumType): string[] => type.getValues().map(({ value }) => String(value));

/** The enums in a document's response, by response key. Keys with the same name have the same type in every object. */
export interface EnumPlaces {
  enums: Map<string, GraphQLEnumType>;
  objects: Map<string, EnumPlaces>;
}

export function enumPlaces(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  { definitions }: DocumentNode,
): EnumPlaces {
  const fragments = new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );

  function collect(type: GraphQLNamedType, { selections }: SelectionSetNode, into: EnumPlaces): EnumPlaces {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        const found = getNamedType(field?.type);
        const key = (selection.alias ?? selection.name).value;
        if (isEnumType(found)) into.enums.set(key, found);
        if (!found || !selection.selectionSet) continue;
        const inner = collect(found, selection.selectionSet, into.objects.get(key) ?? nowhere());
        if (inner.enums.size + inner.objects.size > 0) into.objects.set(key, inner);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      const condition = fragment?.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type;
      if (fragment && condition) collect(condition, fragment.selectionSet, into);
    }
    return into;
  }
  const root = schema.getRootType(operation.operation);
  return root ? collect(root, operation.selectionSet, nowhere()) : nowhere();
}

const nowhere = (): EnumPlaces => ({ enums: new Map(), objects: new Map() });

/** Converts the enums of a response to those of REST, in place. */
export function toRestValues(places: EnumPlaces, found: unknown): void {
  if (Array.isArray(found)) {
    for (const each of found) toRestValues(places, each);
    return;
  }
  if (typeof found !== 'object' || found === null) return;
  const object = found as Record<string, unknown>;
  for (const [key, type] of places.enums) {
    const name = object[key];
    if (typeof name === 'string') object[key] = type.getValue(name)?.value ?? name;
  }
  for (const [key, inner] of places.objects) toRestValues(inner, object[key]);
}

/**
 * The variables of a request with their enums converted to those of the graph. An unknown value is left for the graph
 * to refuse.
 */
export function toGraphNames(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const named = { ...variables };
  for (const { variable, type } of variableDefinitions) {
    const key = variable.name.value;
    const declared = typeFromAST(schema, type) as GraphQLInputType | undefined;
    if (key in named && declared) named[key] = withNames(declared, named[key]);
  }
  return named;
}

function withNames(declared: GraphQLInputType, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  const type = getNullableType(declared);
  if (isListType(type)) {
    return Array.isArray(value) ? value.map((each) => withNames(type.ofType, each)) : withNames(type.ofType, value);
  }
  if (isEnumType(type)) return type.getValues().find((each) => each.value === value)?.name ?? value;
  if (!isInputObjectType(type) || typeof value !== 'object') return value;
  const fields = type.getFields();
  const members = Object.entries(value).map(([key, member]) => {
    const field = fields[key];
    return [key, field ? withNames(field.type, member) : member] as const;
  });
  return Object.fromEntries(members);
}
