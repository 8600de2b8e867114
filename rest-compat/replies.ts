import { NotFoundError } from '#src/infra/errors.ts';

export type JsonSchema = Record<string, unknown>;

/** Turns the result of a document's root field into a body. Never called with a null result: that is a 404. */
export interface Reply {
  status: number;
  /** Set when the status depends on the result, and on the request's body: `status` or one of `others`. */
  httpStatus?: (found: unknown, body?: unknown) => number;
  /** Its other responses, for OpenAPI, with the body's JSON Schema if it differs from that of `status`; null where there is no body. */
  others?: Record<number, { description: string; schema?: JsonSchema | null }>;
  /** Headers that depend on the result. */
  replyHeaders?: (found: unknown) => Record<string, string>;
  /** `body`: the body of the request. */
  body(found: unknown, query: unknown, body?: unknown): unknown;
  /** Writes the body as JSON, for responses for which `JSON.stringify` was measured to take too long. */
  write?: (body: unknown) => { content: Buffer | string; release?: () => void };
  /** The body's JSON Schema, from that of the root field; null when there is no body. */
  schema(root: JsonSchema): JsonSchema | null;
}

interface Place {
  status?: number;
  /** The member of a mutation's payload that is the body. */
  at?: string;
}

/** A resource, unchanged. */
export const one = ({ status = 200, at }: Place = {}): Reply => ({
  status,
  body: (found) => (at === undefined ? found : member(found, at)),
  schema: (root) => (at === undefined ? root : property(root, at)),
});

/** The resource in a member of the payload: 201 if the member `by` says that the request created it, otherwise 200. */
export const madeOrFound = ({ at, by }: { at: string; by: string }): Reply => ({
  ...one({ at }),
  httpStatus: (found) => ((found as Record<string, unknown>)[by] === true ? 201 : 200),
  others: { 201: { description: 'Made.' } },
});

/** `{data}` around a resource or a list. */
export const data = (place: Place = {}): Reply => {
  const inner = one(place);
  return {
    status: inner.status,
    body: (found, query) => ({ data: inner.body(found, query) }),
    schema: (root) => objectSchema({ data: inner.schema(root) }),
  };
};

/** 204. */
export const nothing: Reply = { status: 204, body: () => undefined, schema: () => null };

interface Connection {
  edges: { node: unknown }[];
}

interface CursorConnection extends Connection {
  next_cursor: string | null;
  prev_cursor: string | null;
}

/**
 * `{data, meta}` of a connection that is paged by one cursor in both directions: selected with
 * `edges { node } next_cursor: nextCursor prev_cursor: prevCursor`.
 */
export const cursorFeed: Reply = {
  status: 200,
  body(found, query) {
    const { edges, next_cursor, prev_cursor } = found as CursorConnection;
    const { limit } = query as { limit: number };
    return { data: edges.map(({ node }) => node), meta: { per_page: limit, next_cursor, prev_cursor } };
  },
  schema(root) {
    const [next_cursor, prev_cursor] = ['next_cursor', 'prev_cursor'].map((name) => property(root, name));
    return objectSchema({
      data: itemsSchema(root),
      meta: objectSchema({ per_page: integer, next_cursor, prev_cursor }),
    });
  },
};

export const componentRef = (name: string): string => `#/components/schemas/${name}`;

export const integer = { type: 'integer' };

export const objectSchema = (properties: Record<string, unknown>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** The nodes of a connection, as an array. */
export const itemsSchema = (connection: JsonSchema): JsonSchema => {
  const edges = property(connection, 'edges');
  return { type: 'array', items: property(edges['items'] as JsonSchema, 'node') };
};

function member(found: unknown, at: string): unknown {
  const value = (found as Record<string, unknown>)[at];
  if (value === null || value === undefined) throw new NotFoundError();
  return value;
}

export function property(schema: JsonSchema, name: string): JsonSchema {
  const found = (schema['properties'] as Record<string, JsonSchema> | undefined)?.[name];
  if (!found) throw new Error(`The document does not select \`${name}\`, which the route's reply reads.`);
  return found;
}
