import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { isOutage } from '#src/infra/postgres/outages.ts';

/**
 * A query for whose objects, once the root fields have resolved, only properties need to be read; a leaf may be asynchronous. Closures that
 * are made once per document complete such a query: 50 rows of 11 fields take 0.05 ms; the general executor, with its objects without a
 * prototype, takes 0.19.
 */
export interface PlainQuery {
  /**
   * The result of a query that succeeds completely. Otherwise undefined, and the general executor runs the query from the start, so that
   * errors are reported in one way only; a query may be repeated. An outage of the database is the exception: all root fields fail with it,
   * because the general executor would wait for it a second time.
   */
  execute: (args: ExecutionArgs) => Promise<ExecutionResult | undefined>;
}

/** The general executor has to run the query: its document is not plain (`document`), or this execution failed. */
class Unsupported extends Error {
  readonly reason: 'document' | 'failure';

  constructor(reason: 'document' | 'failure') {
    super('This query is for the general executor.');
    this.reason = reason;
  }
}
const unsupported = new Unsupported('document');
const failed = new Unsupported('failure');

/**
 * The error that ends the execution when a root field or leaf rejects: an outage is reported, any other error makes the general executor
 * run the query again.
 */
const failureFor = (reason: unknown): unknown => (isOutage(reason) ? reason : failed);

/** One execution of a plan. */
interface Execution {
  context: unknown;
  /** Leaves that resolve after their object was completed, such as the total of a page. */
  pendingResolvers: Promise<void>[];
}

type Complete = (value: unknown, execution: Execution) => unknown;

interface Plan {
  schema: GraphQLSchema;
  fragments: Record<string, FragmentDefinitionNode>;
}

/** A field below the root, whose resolver uses neither `info` nor arguments. */
interface PlainField {
  key: string;
  isLeaf: boolean;
  read: (source: object, context: unknown) => unknown;
  complete: Complete;
}

interface RootField {
  key: string;
  nodes: FieldNode[];
  field: GraphQLField<unknown, unknown>;
  complete: Complete;
}

const maxDepth = 15;
const noArguments = Object.freeze({});
/** A resolver that declares fewer parameters could still read it. Reading it throws, and the document is left to the general executor. */
const noInfo = new Proxy({} as GraphQLResolveInfo, {
  get() {
    throw unsupported;
  },
});

/** Undefined if the document is not plain, whatever its variables are. */
export function planPlainQuery(schema: GraphQLSchema, document: DocumentNode): PlainQuery | undefined {
  try {
    return makePlan(schema, document);
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

function makePlan(schema: GraphQLSchema, document: DocumentNode): PlainQuery {
  const [operation, another] = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const query = schema.getQueryType();
  if (operation?.kind !== Kind.OPERATION_DEFINITION || another || !query) throw unsupported;
  if (operation.operation !== OperationTypeNode.QUERY || (operation.directives?.length ?? 0) > 0) throw unsupported;
  const plan: Plan = { schema, fragments: collectFragments(document) };
  const fields = collect(plan, query, [operation.selectionSet]);
  const roots = [...fields].map(([key, nodes]): RootField => {
    const field = findField(query, nodes);
    if (!field.resolve) throw unsupported;
    return { key, nodes, field, complete: completer(plan, field.type, nodes, 1) };
  });
  let isPlain = true;
  return {
    async execute(args) {
      if (!isPlain || (args.operationName && args.operationName !== operation.name?.value)) return undefined;
      try {
        return await executeRoots(plan, operation, query, roots, args);
      } catch (error) {
        if (isOutage(error))
          return { data: null, errors: roots.map(({ key, nodes }) => locatedError(error, nodes, [key])) };
        if (error instanceof Unsupported && error.reason === 'document') isPlain = false;
        return undefined;
      }
    },
  };
}

async function executeRoots(
  { schema, fragments }: Plan,
  operation: OperationDefinitionNode,
  parentType: GraphQLObjectType,
  roots: RootField[],
  { rootValue, contextValue, variableValues: given }: ExecutionArgs,
): Promise<ExecutionResult> {
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given ?? {}, {
    maxErrors: 1,
  });
  if (errors) throw failed;
  const started = roots.map(async ({ key, nodes, field }) => {
    const path = { prev: undefined, key, typename: parentType.name };
    const shared = { fieldName: field.name, fieldNodes: nodes, returnType: field.type, parentType, path };
    const info = { ...shared, schema, fragments, rootValue, operation, variableValues: coerced };
    return field.resolve?.(rootValue, getArgumentValues(field, nodes[0] as FieldNode, coerced), contextValue, info);
  });
  const execution: Execution = { context: contextValue, pendingResolvers: [] };
  const values = await settled(started);
  const data: Record<string, unknown> = {};
  for (const [index, { key, complete }] of roots.entries()) data[key] = complete(values[index], execution);
  await settled(execution.pendingResolvers);
  return { data };
}

/** Waits for all promises, because no resolver may still run after the response, then throws for the first rejection. */
async function settled<Value>(promises: Promise<Value>[]): Promise<Value[]> {
  const outcomes = await Promise.allSettled(promises);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw failureFor(outcome.reason);
    return outcome.value;
  });
}

const collectFragments = ({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );

/** The fields selected of an object type by response key, in order, with fragments resolved and equal keys merged. */
function collect(
  plan: Plan,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  fields = new Map<string, FieldNode[]>(),
  spread = new Set<string>(),
): Map<string, FieldNode[]> {
  for (const selection of sets.flatMap(({ selections }) => selections)) {
    if ((selection.directives?.length ?? 0) > 0) throw unsupported;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      // Assigning this property would set the prototype.
      if (key === '__proto__') throw unsupported;
      fields.set(key, [...(fields.get(key) ?? []), selection]);
      continue;
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      // A fragment adds all its fields the first time; fragments that spread one another twice would otherwise double the work at each
      // level.
      if (spread.has(selection.name.value)) continue;
      spread.add(selection.name.value);
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : plan.fragments[selection.name.value];
    if (!fragment || (fragment.directives?.length ?? 0) > 0) throw unsupported;
    if (applies(plan, fragment.typeCondition?.name.value, type)) {
      collect(plan, type, [fragment.selectionSet], fields, spread);
    }
  }
  return fields;
}

function applies({ schema }: Plan, condition: string | undefined, type: GraphQLObjectType): boolean {
  if (condition === undefined || condition === type.name) return true;
  const other = schema.getType(condition);
  return isAbstractType(other) && schema.isSubType(other, type);
}

function findField(type: GraphQLObjectType, nodes: FieldNode[]): GraphQLField<unknown, unknown> {
  const field = type.getFields()[nodes[0]?.name.value ?? ''];
  if (!field) throw unsupported;
  return field;
}

function completer(plan: Plan, type: GraphQLOutputType, nodes: FieldNode[], depth: number): Complete {
  if (depth > maxDepth) throw unsupported;
  if (isNonNullType(type)) {
    const complete = completer(plan, type.ofType, nodes, depth);
    return (value, execution) => complete(value, execution) ?? fail();
  }
  if (isListType(type)) {
    const complete = completer(plan, type.ofType, nodes, depth);
    return (value, execution) => {
      if (value == null) return null;
      if (!Array.isArray(value)) throw unsupported;
      return value.map((item) => complete(item, execution));
    };
  }
  if (isLeafType(type)) {
    return (value) => {
      if (value == null) return null;
      if (isThenable(value)) throw unsupported;
      return type.serialize(value) ?? fail();
    };
  }
  if (!isObjectType(type)) throw unsupported;
  return objectCompleter(plan, type, nodes, depth);
}

function objectCompleter(plan: Plan, type: GraphQLObjectType, nodes: FieldNode[], depth: number): Complete {
  const selected = collect(
    plan,
    type,
    nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
  );
  const fields = [...selected].map(([key, its]): PlainField => {
    if (its[0]?.name.value === '__typename')
      return { key, isLeaf: true, read: () => type.name, complete: (value) => value };
    const field = findField(type, its);
    if (field.args.length > 0) throw unsupported;
    const complete = completer(plan, field.type, its, depth + 1);
    return { key, isLeaf: isLeafType(getNamedType(field.type)), read: reader(field), complete };
  });
  const { isTypeOf } = type;
  return (value, execution) => {
    if (value == null) return null;
    if (typeof value !== 'object' || isThenable(value)) throw unsupported;
    if (isTypeOf && isTypeOf(value, execution.context, noInfo) !== true) throw unsupported;
    const object: Record<string, unknown> = {};
    for (const { key, isLeaf, read, complete } of fields) {
      const found = read(value, execution.context);
      if (isLeaf && isThenable(found)) {
        // Reserves the position of the key.
        object[key] = undefined;
        const resolved = Promise.resolve(found).then((leaf) => void (object[key] = complete(leaf, execution)));
        // An execution that fails earlier does not await it.
        resolved.catch(() => undefined);
        execution.pendingResolvers.push(resolved);
      } else object[key] = complete(found, execution);
    }
    return object;
  };
}

function reader({ name, resolve }: GraphQLField<unknown, unknown>): PlainField['read'] {
  if (!resolve) {
    return (source) => {
      const value = (source as Record<string, unknown>)[name];
      if (typeof value === 'function') throw unsupported;
      return value;
    };
  }
  // `info` is the fourth parameter, and a rest parameter, with a length of 0, could hold all of them.
  if (resolve.length === 0 || resolve.length > 3) throw unsupported;
  return (source, context) => resolve(source, noArguments, context, noInfo);
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

function fail(): never {
  throw failed;
}
