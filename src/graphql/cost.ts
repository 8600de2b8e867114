import {
  type DocumentNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { defaultSize, maxSize } from './paging/connections.ts';

/**
 * The maximum cost of an operation. An object costs 1, a scalar nothing, a list its objects times its maximum length, a count and a
 * mutation a fixed amount for their work in the database. So 100 runs cost 101, and one document may hold 19 mutations.
 */
export const maxCost = 5_000;
const mutationCost = 250;
const countCost = 25;
/** The assumed length of a list without a size argument: such lists are short, or bounded by their parent. */
const plainListSize = 10;

type Variables = Readonly<Record<string, unknown>>;

/** Size of the connection that a selection set belongs to; its lists of edges and nodes have that length. */
type PageSize = number | undefined;

/**
 * The maximum cost of executing the operation, computed before it is executed. Variables may be unparsed: a size that is not a whole number
 * is refused later, and counts as the maximum here.
 */
export function computeCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const defaults = new Map(
    operation.variableDefinitions?.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)] as const] : [],
    ),
  );
  // By selection set, type and size: a fragment that is spread again and again is walked once.
  const known = new Map<SelectionSetNode, Map<string, number>>();

  function ofSelections(set: SelectionSetNode, type: GraphQLNamedType, page: PageSize): number {
    const key = `${type.name} ${page}`;
    const costs = known.get(set) ?? new Map<string, number>();
    known.set(set, costs);
    const found = costs.get(key);
    if (found !== undefined) return found;
    costs.set(key, 0);
    let total = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        total += ofField(selection, type, page);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (!fragment) continue;
      const condition = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
      total += ofSelections(fragment.selectionSet, condition ?? type, page);
    }
    costs.set(key, total);
    return total;
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType, page: PageSize): number {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    if (!field) return 0;
    const type = getNamedType(field.type);
    const own = (parent === schema.getMutationType() ? mutationCost : 0) + declaredCost(field);
    if (isLeafType(type)) return own + (field.name === 'totalCount' ? countCost : 0);
    if (!node.selectionSet || !isCompositeType(type)) return own;
    const size = sizeArgument(field, node);
    if (isListType(getNullableType(field.type)))
      return own + (page ?? size ?? plainListSize) * (1 + ofSelections(node.selectionSet, type, undefined));
    // An edge and its node count once.
    const isNode = field.name === 'node' && parent.name.endsWith('Edge');
    return own + (isNode ? 0 : 1) + ofSelections(node.selectionSet, type, size);
  }

  /** The size that the field asks for; undefined if it takes none. */
  function sizeArgument(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    const sizes = field.args.filter(({ name }) => name === 'first' || name === 'last');
    if (sizes.length === 0) return undefined;
    const isConnection = sizes.length === 2;
    const most = isConnection ? maxSize : Number(sizes[0]?.defaultValue ?? maxSize);
    const asked = sizes.flatMap(({ name }) => {
      const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
      if (value?.kind === Kind.INT) return [Number(value.value)];
      if (value?.kind !== Kind.VARIABLE) return [];
      const given = variables[value.name.value] ?? defaults.get(value.name.value);
      return given === undefined || given === null ? [] : [typeof given === 'number' ? given : most];
    });
    const size = asked.length > 0 ? Math.max(...asked) : isConnection ? defaultSize : most;
    return Math.min(Math.max(size, 1), most);
  }

  const root = schema.getRootType(operation.operation);
  return root ? ofSelections(operation.selectionSet, root, undefined) : 0;
}

/** The additional cost that the field's `complexity` declares, for a value that takes a query of its own. */
function declaredCost({ extensions }: GraphQLField<unknown, unknown>): number {
  const declared = extensions['complexity'];
  return typeof declared === 'number' ? declared : 0;
}
