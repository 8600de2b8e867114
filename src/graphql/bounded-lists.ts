import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type GraphQLArgument,
  type GraphQLFieldResolver,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { ValidationError } from '#src/infra/errors.ts';

/** The most values in one list in the arguments of a query or a subscription, or in a filter of a mutation. */
export const maxListed = 200;

/**
 * Refuses longer lists in arguments, so that filters need no limit of their own. A list with a lower limit is checked where it is read.
 * Services parse the inputs of mutations, except for the filters in them, which queries also accept.
 */
class BoundedLists<Types extends SchemaTypes> extends BasePlugin<Types> {
  #inputs: ReadonlySet<GraphQLInputObjectType> | undefined;

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { args }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (Object.keys(args).length === 0) return resolve;
    let lists: string[][] | undefined;
    return (source, given, context, info) => {
      refuseLongLists((lists ??= this.#findLists(info)), given);
      return resolve(source, given, context, info);
    };
  }

  override wrapSubscribe(
    subscribe: GraphQLFieldResolver<unknown, Types['Context'], object> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> | undefined {
    return subscribe && this.wrapResolve(subscribe, field);
  }

  /** Lists the paths of the lists in a field's arguments that this plugin limits. */
  #findLists({ schema, parentType, fieldName }: GraphQLResolveInfo): string[][] {
    const args = parentType.getFields()[fieldName]?.args ?? [];
    return listsWithin(args, (this.#inputs ??= inputsOfQueries(schema)), parentType !== schema.getMutationType());
  }
}

/** The cast stands in for a declaration in the global namespace where Pothos looks up the names of plugins. */
export const boundedLists = 'boundedLists' as never;
SchemaBuilder.registerPlugin(boundedLists, BoundedLists as never);

function refuseLongLists(lists: readonly string[][], given: unknown): void {
  const long = lists.filter((path) => valuesAt(given, path).some((value) => value.length > maxListed));
  if (long.length === 0) return;
  // Errors name members of a mutation's input without the prefix `input`.
  const names = long.map((path) => path.filter((part, depth) => depth > 0 || part !== 'input').join('.'));
  throw new ValidationError(
    Object.fromEntries(names.map((name) => [name, [`The field ${name} must have at most ${maxListed} items.`]])),
  );
}

function valuesAt(value: unknown, [name, ...rest]: readonly string[]): unknown[][] {
  if (name === undefined) return Array.isArray(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [name, ...rest]));
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Record<string, unknown>)[name], rest);
}

/**
 * Lists the paths of lists among the members, if `areBounded`, and of lists within members whose type is in `types`. A recursive type is
 * visited once.
 */
function listsWithin(
  members: readonly (GraphQLArgument | GraphQLInputField)[],
  types: ReadonlySet<GraphQLInputObjectType>,
  areBounded: boolean,
  above: readonly GraphQLInputObjectType[] = [],
): string[][] {
  return members.flatMap(({ name, type }) => {
    const own = areBounded && isListType(getNullableType(type)) ? [[name]] : [];
    const named = getNamedType(type);
    if (!isInputObjectType(named) || above.includes(named)) return own;
    const fields = Object.values(named.getFields());
    const below = listsWithin(fields, types, types.has(named), [...above, named]);
    return [...own, ...below.map((path) => [name, ...path])];
  });
}

/** Finds the input types that arguments of fields other than mutations use, directly or within other types. */
function inputsOfQueries(schema: GraphQLSchema): ReadonlySet<GraphQLInputObjectType> {
  const found = new Set<GraphQLInputObjectType>();
  const add = (members: readonly (GraphQLArgument | GraphQLInputField)[]): void => {
    for (const { type } of members) {
      const named = getNamedType(type);
      if (!isInputObjectType(named) || found.has(named)) continue;
      found.add(named);
      add(Object.values(named.getFields()));
    }
  };
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && type !== schema.getMutationType())
      for (const { args } of Object.values(type.getFields())) add(args);
  return found;
}
