import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Caller, Context } from '#src/graphql/context.ts';
import type { ErrorCode } from '#src/infra/errors.ts';
import type { Services } from '#src/infra/services.ts';
import type { BodyReader } from './bodies.ts';
import type { Scopes } from './execute.ts';
import type { JsonSchema, Reply } from './replies.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names of the parameters in a path: `{name}`, and `*` at its end for the rest of the URL, slashes included. */
type ParamsOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Path extends `${string}/*`
    ? '*'
    : never;

/** A request as a route gets it: parsed by the route's own schemas. */
export interface RestRequest<Param extends string = string, Query = unknown, Body = unknown> {
  method: string;
  params: Record<Param, string>;
  query: Query;
  body: Body;
  headers: Record<string, string | string[] | undefined>;
  /** Identifies a repeat of a signed call, if its sender gives one. */
  idempotencyKey?: string | null;
}

/** The sender of a request, authenticated by a signature over its raw body, with the headers that are not part of the signature. */
export interface SignedSender extends Pick<RestRequest, 'headers' | 'idempotencyKey'> {
  caller: Caller;
}

/**
 * Returns a function that authenticates the caller once the body has been read, and throws UNAUTHENTICATED; null if credentials are
 * required.
 */
export type SignatureAuth<Param extends string = string> = (
  request: Pick<RestRequest<Param>, 'params' | 'query' | 'headers'>,
  services: Services,
) => Promise<((body: Buffer) => SignedSender) | null>;

/** The group of routes that OpenAPI files a row under. */
export interface Tag {
  name: string;
  description: string;
}

/** The properties of both kinds of rows. */
interface Row<Path extends string, Query, Body> {
  /** Methods that have the same effect can share a row. */
  method: Method | readonly Method[];
  /** In OpenAPI's notation, `/workflows/{id}`; `/*` may end it. Routes below /admin belong to the admin audience. */
  path: Path;
  /** OpenAPI's operationId. */
  name: string;
  tag: Tag;
  summary: string;
  query?: z.ZodType<Query>;
  body?: BodyReader<Body>;
  /** Error codes in addition to those that follow from its shape (token, role, id, body, query). */
  refuses?: readonly ErrorCode[];
  /** Values that make a well-formed request; shown in OpenAPI and sent by the tests that walk the rows. */
  example?: { body: unknown };
}

/** A list that is paged in the style of its API: the API adds the query's parameters, and builds the body. */
export interface List {
  /** The payload's member that holds the connection; if absent, the root field itself. */
  at?: string;
  /** Set when clients may choose the order: the fields, and the default (`created_at.desc`). */
  order?: { fields: readonly [string, ...string[]]; byDefault: string };
}

/** A list without pages, sent as its rows are read. */
export interface StreamedList {
  /** The property that represents each row, if not the row itself. */
  of?: string;
}

/** A page as the arguments of a connection. */
export interface Page {
  first: number;
  offset: number;
  orderBy?: { field: string; direction: 'ASC' | 'DESC' };
}

interface DocumentRow<Path extends string, Query, Body> extends Row<Path, Query, Body> {
  /**
   * A GraphQL document with one operation and one root field, whose scopes are those of the route. Its aliases are the body's field names,
   * and the OpenAPI schema of the response is derived from it. A mutation ends with `...Failure`.
   */
  document: string;
  variables?: (request: RestRequest<ParamsOf<Path>, Query, Body> & { page: Page }) => Record<string, unknown>;
  /**
   * Calls the service for the root field's value instead of executing the document, which still declares access and response. Only for a
   * route whose bench misses its reach with the executor.
   */
  resolve?: (request: RestRequest<ParamsOf<Path>, Query, Body>, context: Context) => Promise<unknown>;
  /** An alternative to the API's credentials; it needs the complete body. */
  signatureAuth?: SignatureAuth<ParamsOf<Path>>;
  /** The address that answers the request instead: a 303 leads a browser there, and nothing is executed. Null executes the document. */
  redirect?: (request: RestRequest<ParamsOf<Path>, Query, Body>, context: Context) => string | null;
}

/**
 * How the response is built: by the route's own reply; for a list, by the API; for a streamed list, page by page: its document takes
 * `$first: Int, $after: String`.
 */
type Answered =
  | { reply: Reply; list?: never; streamedList?: never }
  | { list: List; reply?: never; streamedList?: never }
  | { streamedList: StreamedList; reply?: never; list?: never };

/** Throws INVALID_SIGNATURE unless the link was signed by us and has not expired; the query is as it was received. */
export type VerifyLink<Param extends string = string> = (
  params: Record<Param, string>,
  query: { expires?: unknown; signature?: unknown },
  services: Services,
) => void;

/** Access of a byte route: callers with the scopes, anyone with a signed link, or anyone at all (`scopes: null`). */
export type ByteAccess<Param extends string = string> = { scopes: Scopes | null } | { link: VerifyLink<Param> };

/** A response that does not come from the graph. */
export interface Bytes {
  /** By default the declared one. */
  status?: number;
  headers?: Record<string, string>;
  /** The media type of `content`. */
  type?: string;
  content?: Readable | Buffer | string;
  /** Called once `content` was sent or the connection closed, so that its memory may be reused. */
  release?: () => void;
  /** Allows the same response for the same URL and tenant. Only for GET, of an API that counts no requests. The caller is checked first. */
  cached?: CachedResponse;
}

/** A response that is sent again with the same headers, and without parsing the parameters of its URL again. */
export interface CachedResponse {
  /** True if its sources are unchanged. A transaction that changes them calls `tx.expireLeases()`. */
  isFresh: () => Promise<boolean>;
  /** Null if a new one has to be made. */
  content: () => Buffer | null;
}

interface ByteRow<Path extends string, Query, Body> extends Row<Path, Query, Body> {
  access: ByteAccess<ParamsOf<Path>>;
  /** The successful response, for OpenAPI. */
  answers: { status: number; description: string; content?: Record<string, { schema: JsonSchema }> };
  answer(request: RestRequest<ParamsOf<Path>, Query, Body>, context: Context): Promise<Bytes>;
}

/** A row whose own types have been checked and erased, so that all rows fit in one list. */
export interface DocumentRoute extends Row<string, unknown, unknown> {
  document: string;
  variables?: (request: RestRequest & { page: Page }) => Record<string, unknown>;
  resolve?: (request: RestRequest, context: Context) => Promise<unknown>;
  signatureAuth?: SignatureAuth;
  redirect?: (request: RestRequest, context: Context) => string | null;
  reply?: Reply;
  list?: List;
  streamedList?: StreamedList;
}

/** The same for a row that takes or returns bytes. */
export interface ByteRoute extends Row<string, unknown, unknown> {
  access: ByteAccess;
  answers: ByteRow<string, unknown, unknown>['answers'];
  answer(request: RestRequest, context: Context): Promise<Bytes>;
}

export type Route = DocumentRoute | ByteRoute;

/**
 * Declares a route over a GraphQL document; `variables` is type-checked against the path's parameters and the row's schemas.
 */
export const route = <const Path extends string, Query = undefined, Body = undefined>(
  row: DocumentRow<Path, Query, Body> & Answered,
): DocumentRoute => row as unknown as DocumentRoute;

/** Declares a route that takes or returns bytes, which do not pass through the graph. */
export const byteRoute = <const Path extends string, Query = undefined, Body = undefined>(
  row: ByteRow<Path, Query, Body>,
): ByteRoute => row;

export const listMethods = ({ method }: Pick<Route, 'method'>): readonly Method[] =>
  typeof method === 'string' ? [method] : method;

export const isAdmin = ({ path }: Pick<Route, 'path'>): boolean => path.startsWith('/admin/');

/** Parameters that are database ids or revision numbers; any other text in their place is a 404. */
export const isIdParam = (name: string): boolean => /^(id|n|m|[a-z]+Id)$/.test(name);

export const pathParams = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** A provider of routes: a domain. */
export interface RouteSource {
  /** REST routes, by the name of the API that serves them; in the API. */
  routes?: () => Promise<Readonly<Record<string, readonly Route[]>>>;
}
