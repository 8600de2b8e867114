import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Caller } from '#src/graphql/context.ts';
import { headerText, type Identify } from '#src/identity/caller.ts';
import type { Services } from '#src/infra/services.ts';
import type { Refusal } from './errors.ts';
import type { Scopes } from './execute.ts';
import type { JsonSchema, Reply } from './replies.ts';
import type { List, Page, Route } from './route.ts';

/** One REST API: the properties that its routes share. The router, refusals and OpenAPI use it. */
export interface RestApi {
  /** Used in error messages at the start. */
  name: string;
  /** Where its routes are mounted. The first mount serves all of them, and openapi.json. */
  mounts: readonly [Mount, ...Mount[]];
  /** Null when no route uses credentials. */
  credentials: Credentials | null;
  tenantHeader: TenantHeader | null;
  errors: ErrorShape;
  paging: Paging;
  /** The subject against whose rate limit a request is counted, before any work is done; null when it is not counted. */
  rateBudget: (caller: Caller) => string | null;
  /** Null when the API has no OpenAPI description. */
  openApi: {
    info: JsonSchema;
    /** Null: anyone may read it. */
    scopes: Scopes | null;
    /** True if it describes the topics that are sent as webhooks. */
    webhooks?: boolean;
    /** True if the description also lists the route that serves it. */
    describesItself?: boolean;
  } | null;
  routes: readonly Route[];
}

/** How a caller is identified: by a token or by an API key, as GraphQL over HTTP does. */
export interface Identities {
  bearer: Identify;
  apiKey: Identify;
}

/** The routes of an API under a prefix: all of them, or those below a path (`/admin`). */
export interface Mount {
  prefix: string;
  below?: string;
}

export interface Credentials {
  /** Called at the start. */
  open(services: { services: Services; identities: Identities }): Identify;
  /** `WWW-Authenticate` of a 401. */
  challenge?: string;
  /** OpenAPI's security schemes; a request needs all of them. */
  schemes: Record<string, JsonSchema>;
  /** Alternative schemes. */
  otherSchemes?: Record<string, JsonSchema>;
  /** The requirement of a scope, for OpenAPI. */
  describe(scope: string): string;
}

export interface TenantHeader {
  name: string;
  description: string;
  /** True if a route with this scope acts in a tenant, for OpenAPI. */
  goesWith(scope: string): boolean;
}

export interface ErrorShape {
  body(refusal: Refusal): object;
  /** JSON Schemas of the body, the second with messages per field. */
  schema: JsonSchema;
  validationSchema: JsonSchema;
  /** Headers of every refusal. */
  headers?: Record<string, string>;
}

/** How an API pages the rows that declare a `list`. */
export interface Paging {
  query(list: List): z.ZodObject;
  /** The page as arguments of the graph. Throws a ValidationError for a page that is too deep. */
  page(query: Record<string, unknown>): Page;
  /** The body for a connection, which is the payload's member `at` or the root field itself. */
  reply(at: string | undefined): Reply;
}

/** The tenant in the request's header; null if the API has no such header, or it is missing. */
export const tenantNamed = (headers: IncomingHttpHeaders, { tenantHeader }: RestApi): string | null =>
  tenantHeader && headerText(headers, tenantHeader.name);

/**
 * The API to which a URL belongs: the one with the longest prefix, so that /v1/admin and /v1 may belong to different APIs.
 */
export function apiAt(apis: readonly RestApi[], url: string): RestApi | undefined {
  const [path = ''] = url.split('?', 1);
  const spaces = apis.flatMap((api) => api.mounts.map(({ prefix, below = '' }) => ({ api, at: prefix + below })));
  const around = spaces.filter(({ at }) => path === at || path.startsWith(`${at}/`));
  return around.toSorted((a, b) => b.at.length - a.at.length)[0]?.api;
}
