import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { compileOperation, nameOfScopes, type Operation, type Scopes, readScopes } from './execute.ts';
import { responseSchema } from './openapi/response-schema.ts';
import type { JsonSchema, Reply } from './replies.ts';
import type { Resource } from './resource.ts';
import type { RestApi } from './rest-api.ts';
import { type ByteRoute, type DocumentRoute, listMethods, type RestRequest, type VerifyLink } from './route.ts';
import { firstPage, streamedListReply } from './streamed-list.ts';

/** The access that a route requires, checked before the body is read. */
export interface RouteAccess {
  /** Null when anyone may call it, or anyone with a signed link. */
  scopes: Scopes | null;
  /** The scopes by name: `member`, `orders:read`. */
  scope: string | null;
  link?: VerifyLink;
}

export interface MountedDocument extends Omit<DocumentRoute, 'variables' | 'list'> {
  access: RouteAccess;
  /** The object that the request creates or changes, whose own fields may be sent back. */
  resource?: Resource;
  operation: Operation;
  variables?: (request: RestRequest) => Record<string, unknown>;
  reply: Reply;
}

export interface MountedBytes extends Omit<ByteRoute, 'access'> {
  access: RouteAccess;
  resource?: never;
}

/** A route as its API serves it. */
export type MountedRoute = MountedDocument | MountedBytes;

/**
 * Compiles every row of an API against the schema. Throws, and so stops the start, naming a row whose document cannot be read or
 * asks for an unknown root field; the rest of a document is validated on its first use, and for all of them in CI.
 */
export function compileRoutes(schema: GraphQLSchema, api: RestApi): MountedRoute[] {
  const rows = api.routes.map((row): MountedRoute => {
    try {
      return 'document' in row ? mountDocument(schema, api, row) : mountBytes(row);
    } catch (cause) {
      throw new Error(
        `The REST route ${listMethods(row).join('|')} ${row.path} cannot be: ${(cause as Error).message}`,
        {
          cause,
        },
      );
    }
  });
  return rows.map((row) =>
    'operation' in row && row.body?.takes === 'bytes' ? { ...row, resource: sentResource(schema, row, rows) } : row,
  );
}

/**
 * The resource that a request creates or changes, in the format of its own route, and for PATCH and PUT of the GET of the same path:
 * clients send back the objects that they read.
 */
function sentResource(schema: GraphQLSchema, row: MountedDocument, rows: readonly MountedRoute[]): Resource {
  const isChange = listMethods(row).some((method) => method === 'PATCH' || method === 'PUT');
  const reads = isChange ? rows.filter(({ path, method }) => path === row.path && method === 'GET') : [];
  const components: Record<string, JsonSchema> = {};
  const answered = [row, ...reads].flatMap((each) => {
    const body = 'operation' in each ? each.reply.schema(responseSchema(schema, each.operation, components)) : null;
    return body ? [body, ...dataSchemas(body)] : [];
  });
  return { schema: { anyOf: answered }, components };
}

const dataSchemas = ({ properties }: JsonSchema): JsonSchema[] => {
  const { data } = (properties ?? {}) as { data?: JsonSchema };
  return data ? [data] : [];
};

export const mountBytes = (row: ByteRoute): MountedBytes => ({
  ...row,
  access: 'link' in row.access ? { ...row.access, ...toRouteAccess(null) } : toRouteAccess(row.access.scopes),
});

function mountDocument(schema: GraphQLSchema, api: RestApi, row: DocumentRoute): MountedDocument {
  const operation = compileOperation(schema, row.document);
  const mounted = { ...row, operation, access: toRouteAccess(readScopes(operation.field)) };
  const { list, reply, variables, streamedList } = row;
  if (streamedList) {
    const own = variables as MountedDocument['variables'];
    return {
      ...mounted,
      variables: (request) => ({ ...own?.(request), ...firstPage }),
      reply: streamedListReply(streamedList),
    };
  }
  if (!list) return { ...mounted, reply: reply as Reply } as MountedDocument;
  const { paging } = api;
  const narrowing = row.query instanceof z.ZodObject ? row.query : z.object({});
  const { catchall } = narrowing.def;
  const query = paging.query(list).extend(narrowing.shape);
  return {
    ...mounted,
    query: catchall ? query.catchall(catchall) : query,
    variables: (request) => {
      const page = paging.page(request.query as Record<string, unknown>);
      return variables?.({ ...request, page }) ?? { ...page };
    },
    reply: paging.reply(list.at),
  };
}

const toRouteAccess = (scopes: Scopes | null): RouteAccess => ({ scopes, scope: scopes && nameOfScopes(scopes) });
