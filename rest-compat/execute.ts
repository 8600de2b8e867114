import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import type { FieldAccess } from '#src/graphql/access.ts';
import type { Context, Incoming } from '#src/graphql/context.ts';
import type { Graph } from '#src/graphql/graph.ts';
import { type EnumPlaces, enumPlaces, toGraphNames, toRestValues } from './enums.ts';
import { type Failure, failureFragment } from './errors.ts';

/** A route's document, parsed. */
export interface Operation {
  document: DocumentNode;
  kind: 'query' | 'mutation' | 'subscription';
  /** The root field's key in the response. */
  key: string;
  field: GraphQLField<unknown, unknown>;
  definition: OperationDefinitionNode;
  /**
   * Validates the document against the schema and finds the enums in its response, on the first call: for all routes at the start it would
   * be a tenth of the start's processor time. Throws an error that names the fault.
   */
  prepare: () => EnumPlaces;
}

/** A request on its way through the graph's plugins: verified, its tenant found, its rates counted. */
export interface Session {
  context: Context;
  run(operation: Operation, variables: Record<string, unknown> | undefined): Promise<unknown>;
}

/** Scopes as a field of the graph declares them (`{ member: true }`); one of them is enough. */
export type Scopes = Partial<FieldAccess>;

const compiled = new WeakMap<GraphQLSchema, Map<string, Operation>>();

/**
 * Throws an error that names the fault, unless the document is one operation with one root field of the schema. Cached by schema, for apps
 * that share one.
 */
export function compileOperation(schema: GraphQLSchema, source: string): Operation {
  const known = compiled.get(schema) ?? new Map<string, Operation>();
  compiled.set(schema, known);
  const operation = known.get(source) ?? readOperation(schema, source);
  known.set(source, operation);
  return operation;
}

function readOperation(schema: GraphQLSchema, source: string): Operation {
  const text = source.includes('...Failure') ? `${source}\n${failureFragment}` : source;
  // Kept for good, and its locations are never shown: with them the documents of all routes would take 2 MB more.
  const document = parse(text, { noLocation: true });
  const [operation, another] = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const [selection, more] = operation?.selectionSet.selections ?? [];
  if (!operation || another || more || selection?.kind !== Kind.FIELD) {
    throw new Error('A route has one operation with one root field.');
  }
  const field = schema.getRootType(operation.operation)?.getFields()[selection.name.value];
  if (!field) throw new Error(`The root field ${selection.name.value} is not of the schema.`);
  const key = (selection.alias ?? selection.name).value;
  let enums: EnumPlaces | undefined;
  const prepare = () => (enums ??= validEnumPlaces(schema, operation, document));
  return { document, kind: operation.operation, key, field, definition: operation, prepare };
}

function validEnumPlaces(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  document: DocumentNode,
): EnumPlaces {
  const faults = validate(schema, document);
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join(' '));
  return enumPlaces(schema, operation, document);
}

/** The scopes of the graph's field, so that a route cannot require less than its field does; null if the field is public. */
export function readScopes(field: GraphQLField<unknown, unknown>): Scopes | null {
  const options = field.extensions['pothosOptions'] as { authScopes?: unknown; skipTypeScopes?: boolean } | undefined;
  const declared = Object.entries(options?.authScopes ?? {}).filter(([, value]) => value);
  if (declared.length > 0) return Object.fromEntries(declared) as Scopes;
  return options?.skipTypeScopes ? null : { identified: true };
}

/** Scopes by name: `member`, and `member or orders:read` of `{ member: true, scope: 'orders:read' }`. */
export const nameOfScopes = (scopes: Scopes): string =>
  Object.entries<unknown>(scopes)
    .map(([name, value]) => (value === true ? name : String(value)))
    .join(' or ');

/** Builds the context like GraphQL over HTTP does; throws if a plugin refuses the request. */
export async function openSession(graph: Graph, incoming: Incoming): Promise<Session> {
  const { schema, execute, contextFactory } = graph.getEnveloped({ incoming: { ...incoming, transport: 'rest' } });
  const context = (await contextFactory()) as unknown as Context;
  return {
    context,
    async run({ document, key, definition, prepare }, variables) {
      const enums = prepare();
      const result = (await execute({
        schema,
        document,
        contextValue: context,
        variableValues: variables && toGraphNames(schema, definition, variables),
      })) as ExecutionResult<Record<string, unknown>>;
      const [error] = result.errors ?? [];
      if (error) throw error;
      toRestValues(enums, result.data);
      return result.data?.[key] ?? null;
    },
  };
}

export const isFailure = (found: unknown): found is Failure =>
  typeof found === 'object' && found !== null && 'failure' in found;
