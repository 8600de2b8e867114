import {
  coerceInputValue,
  getNullableType,
  type GraphQLField,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import type { FieldErrors } from '#src/infra/errors.ts';

/** As values of JSON: enums by name, dates as text. */
interface ListArguments {
  list: string;
  filter?: unknown;
  orderBy?: unknown;
}

const maxProblems = 20;

/** Validates the arguments of a list field of Query, such as `runs`. Returns the problems by path; empty if the arguments are valid. */
export function listProblems(schema: GraphQLSchema, { list, filter, orderBy }: ListArguments): FieldErrors {
  const field = schema.getQueryType()?.getFields()[list];
  if (!field || !isConnection(field))
    return { list: ['There is no list of this name; name a field of Query, such as `runs`.'] };
  const problems: FieldErrors = {};
  for (const [name, value] of Object.entries({ filter, orderBy })) {
    // An empty order is the list's own.
    if (value === undefined || value === null || Object.keys(value).length === 0) continue;
    const type = field.args.find((argument) => argument.name === name)?.type;
    if (type === undefined || !isInputObjectType(getNullableType(type))) {
      problems[name] = [`The list has no argument ${name}.`];
      continue;
    }
    coerceInputValue(value, type, (path, _value, { message }) => {
      if (Object.keys(problems).length < maxProblems) (problems[[name, ...path].join('.')] ??= []).push(message);
    });
  }
  return problems;
}

function isConnection({ type }: GraphQLField<unknown, unknown>): boolean {
  const named = getNullableType(type);
  return isObjectType(named) && named.name.endsWith('Connection');
}
