import type { z } from 'zod';
import type { Caller } from '#src/graphql/context.ts';
import type { Identify } from '#src/identity/caller.ts';
import type { Opened } from '#src/infra/opened.ts';
import type { Refusal } from './errors.ts';
import type { Scopes } from './execute.ts';
import type { JsonSchema, Reply } from './replies.ts';
import type { List, Page, Route } from './route.ts';

/** One REST API: what its routes have in common. The router, the refusals and OpenAPI read it. */
export interface Face {
  /** Named in messages of the start. */
  name: string;
  /** Where its routes stand. The first mount serves all of them, and openapi.json. */
  mounts: readonly [Mount, ...Mount[]];
  /** Null where no route looks at credentials. */
  credentials: Credentials | null;
  tenantHeader: TenantHeader | null;
  errors: ErrorShape;
  paging: Paging;
  /** Whose budget a request is counted against before any work is done; null where it is not counted. */
  budgetOf: (caller: Caller) => string | null;
  /** Null where the face does not describe itself. */
  openApi: { info: JsonSchema; /** Null: anyone may read it. */ scopes: Scopes | null } | null;
  routes: readonly Route[];
}

/** The routes of a face under a prefix: all of them, or those below a path (`/admin`). */
export interface Mount {
  prefix: string;
  below?: string;
}

export interface Credentials {
  /** Called once, at the start. */
  open(services: { opened: Opened; bearer: Identify }): Identify;
  /** `WWW-Authenticate` of a 401. */
  challenge?: string;
  /** OpenAPI's security schemes; a request needs all of them. */
  schemes: Record<string, JsonSchema>;
  /** What a scope asks of the caller, for OpenAPI. */
  describe(scope: string): string;
}

export interface TenantHeader {
  name: string;
  description: string;
  /** Whether a route of this scope acts in a tenant, for OpenAPI. */
  goesWith(scope: string): boolean;
}

export interface ErrorShape {
  body(refusal: Refusal): object;
  /** JSON Schemas of the body, the second with messages per field. */
  schema: JsonSchema;
  validationSchema: JsonSchema;
}

/** How a face pages the rows that declare a `list`. */
export interface Paging {
  query(list: List): z.ZodObject;
  /** The page in the graph's terms. Throws a ValidationError for a page that lies too deep. */
  page(query: Record<string, unknown>): Page;
  /** The body around a connection, which is the payload's member `at` or the root field itself. */
  reply(at: string | undefined): Reply;
}

/** The face whose space a URL lies in: the one with the longest prefix, so that /v1/admin may be another's than /v1. */
export function faceAt(faces: readonly Face[], url: string): Face | undefined {
  const [path = ''] = url.split('?', 1);
  const spaces = faces.flatMap((face) => face.mounts.map(({ prefix, below = '' }) => ({ face, at: prefix + below })));
  const around = spaces.filter(({ at }) => path === at || path.startsWith(`${at}/`));
  return around.toSorted((a, b) => b.at.length - a.at.length)[0]?.face;
}
