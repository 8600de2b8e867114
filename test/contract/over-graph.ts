import { print } from 'graphql';
import qs from 'qs';
import type { MountedDocument } from '#rest/compile.ts';
import { toGraphNames, toRestValues } from '#rest/enums.ts';
import { isIdParam } from '#rest/route.ts';
import { AppError, type ErrorCode, errorCodes } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { everyRoute } from '#test/rest-compat/rest.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';
import type { Ask, ContractRow } from './contract-row.ts';
import { pattern } from './rows.ts';

/** The response of the graph, in terms of REST. */
export interface GraphAnswer {
  status: number;
  message?: string | undefined;
  body?: unknown;
}

interface Failure {
  failure: ErrorCode;
  message: string;
  thrown?: unknown;
}

const mountedRoute = ({ method, path }: ContractRow): MountedDocument | undefined =>
  everyRoute.find((route) => route.method === method && pattern(route.row.path) === pattern(path))?.row;

/**
 * Asks the graph, over HTTP, what the REST route would ask it. Undefined where REST refuses the request at its own edge: a
 * query string, a path or a body that is not of its shape.
 */
export async function overGraph(
  api: TestApp,
  row: ContractRow,
  ask: Ask,
  as: Caller,
): Promise<GraphAnswer | undefined> {
  const route = mountedRoute(row);
  if (!route) return undefined;
  const { operation } = route;
  const variables = buildVariables(route, row, ask);
  if (variables === undefined) return undefined;
  const named = toGraphNames(schema, operation.definition, variables);
  const { data, errors } = await api.graphql<Record<string, unknown>>(print(operation.document), named, as);
  const [error] = errors ?? [];
  if (error) {
    const code = (error.extensions?.code ?? 'INTERNAL') as ErrorCode;
    return { status: errorCodes[code].status, message: error.message };
  }
  toRestValues(operation.prepare(), data);
  const found = data[operation.key];
  if (found === null || found === undefined) return { status: 404, message: errorCodes.NOT_FOUND.message };
  if (typeof found === 'object' && 'failure' in found) {
    const { failure, message, thrown } = found as Failure;
    return { status: thrown === undefined ? errorCodes[failure].status : 422, message };
  }
  try {
    const query = route.query && parseInput(route.query, qs.parse(ask.query ?? ''));
    return { status: route.reply.httpStatus?.(found) ?? route.reply.status, body: route.reply.body(found, query) };
  } catch (error) {
    // A member that is null within what was found.
    if (error instanceof AppError) return { status: errorCodes[error.code].status, message: error.message };
    throw error;
  }
}

function buildVariables(route: MountedDocument, { method, path }: ContractRow, ask: Ask) {
  if (route.body?.takes === 'stream') return undefined;
  try {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    const given = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(ask.params?.[name as string] ?? ''));
    const params = Object.fromEntries(names.map((name, index) => [name, given[index] ?? '']));
    if (names.some((name) => isIdParam(name) && !/^\d{1,19}$/.test(params[name] ?? ''))) return undefined;
    const bytes = Buffer.from(
      ask.body === undefined ? '' : typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body),
    );
    return (
      route.variables?.({
        method,
        params,
        headers: {},
        query: route.query && parseInput(route.query, qs.parse(ask.query ?? '')),
        body: route.body?.read(bytes, bytes.length > 0 ? 'application/json' : '', route.resource),
      }) ?? {}
    );
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
