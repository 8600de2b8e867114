import type { z } from 'zod';
import type { ErrorCode } from '#src/infra/errors.ts';
import type { BodyReader } from './bodies.ts';
import type { Reply } from './replies.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type ParamsOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamsOf<Rest> : never;

/** A request as a row sees it: parsed by the row's own schemas. */
export interface RestRequest<Param extends string = string, Query = unknown, Body = unknown> {
  method: string;
  params: Record<Param, string>;
  query: Query;
  body: Body;
  headers: Record<string, string | string[] | undefined>;
}

interface Row<Path extends string, Query, Body> {
  /** Several methods share a row when they mean the same. */
  method: Method | readonly Method[];
  /** As OpenAPI writes it: `/workflows/{id}`. Below /admin a row belongs to the admin plane. */
  path: Path;
  /** OpenAPI's operationId. */
  name: string;
  tag: string;
  summary: string;
  /**
   * A GraphQL document with one operation and one root field, which settles who may call the route. Its aliases are the
   * body's field names, and the OpenAPI schema of the answer is read off it. A mutation ends with `...Failure`.
   */
  document: string;
  query?: z.ZodType<Query>;
  body?: BodyReader<Body>;
  variables?: (request: RestRequest<ParamsOf<Path>, Query, Body>) => Record<string, unknown>;
  reply: Reply;
  /** Codes it may be refused with beyond those that its shape tells (token, role, id, body, query). */
  refuses?: readonly ErrorCode[];
  /** Values that make a well-formed request; shown in OpenAPI and sent by the tests that walk the rows. */
  example?: { body: unknown };
}

/** A row whose own types are checked and then forgotten, so that rows of all shapes stand in one list. */
export interface Route extends Omit<Row<string, unknown, unknown>, 'variables'> {
  variables?: (request: RestRequest) => Record<string, unknown>;
}

/** Declares a route, holding `variables` against the path's parameters and the row's schemas. */
export const route = <const Path extends string, Query = undefined, Body = undefined>(
  row: Row<Path, Query, Body>,
): Route => row as unknown as Route;

export const methodsOf = ({ method }: Route): readonly Method[] => (typeof method === 'string' ? [method] : method);

export const isAdmin = ({ path }: Pick<Route, 'path'>): boolean => path.startsWith('/admin/');

/** Parameters that are database ids or numbers of revisions; what is not an integer there names nothing. */
export const isIdParam = (name: string): boolean => /^(id|n|m|[a-z]+Id)$/.test(name);

export const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
