import type { ParameterStyle } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

/**
 * An API as any kind of description tells of it. Schemas are JSON Schema (2020-12); a `$ref` in them is `#/$defs/<name>` of `definitions`,
 * and they may be circular by it.
 */
export interface ApiDescription {
  kind: 'openapi' | 'postman' | 'odata' | 'graphql' | 'soap' | 'asyncapi';
  title: string;
  version: string;
  /** SHA-256 of the bytes of the description, hexadecimal. */
  hash: string;
  servers: ApiServer[];
  /** By the names that operations use. */
  security: Record<string, SecurityScheme>;
  operations: ApiOperation[];
  definitions: Record<string, JsonSchema>;
  /** What cannot become a node, and why. */
  skipped: SkippedOperation[];
}

export interface SkippedOperation {
  /** `POST /orders`, or what the description calls it. */
  operation: string;
  /** A sentence. */
  reason: string;
}

export interface ApiServer {
  /** Absolute, or relative to where the description came from; may have variables in braces. */
  url: string;
  variables: Record<string, { default: string; options: string[]; description?: string }>;
}

export type SecurityScheme = { description?: string } & (
  | { type: 'api_key'; in: 'header' | 'query' | 'cookie'; name: string }
  | { type: 'basic' }
  | { type: 'bearer'; format?: string }
  | { type: 'oauth2'; flows: OAuthFlow[] }
  | { type: 'openid'; url: string }
  | { type: 'mutual_tls' }
);

export interface OAuthFlow {
  grant: 'authorization_code' | 'client_credentials' | 'password' | 'implicit';
  authorizeUrl?: string;
  tokenUrl?: string;
  scopes: string[];
}

/** One operation, which becomes one node. */
export interface ApiOperation {
  /** Lower-case with dashes, at most 64 characters, unique, and stable as long as its method, path and id are: `get-orders-by-id`. */
  name: string;
  /** For people: a few words. */
  title: string;
  /** A sentence or two; empty if the description has none. */
  summary: string;
  tags: string[];
  deprecated: boolean;
  method: string;
  /** With places for parameters in braces: `/orders/{id}`. */
  path: string;
  /** Where it differs from the servers of the API. */
  servers?: ApiServer[];
  parameters: ApiParameter[];
  body?: ApiBody;
  /** Members that are always part of a JSON body, such as the query of GraphQL. */
  fixedBody?: Record<string, unknown>;
  /** Headers that are always sent, such as SOAPAction. */
  headers?: Record<string, string>;
  answers: ApiAnswer[];
  /** Alternatives, each of which needs all of its schemes; none: no credential. An empty alternative: it is optional. */
  security: string[][];
}

export interface ApiParameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  description: string;
  schema: JsonSchema;
  style: ParameterStyle;
  explode: boolean;
  allowReserved: boolean;
  deprecated: boolean;
}

export interface ApiBody {
  required: boolean;
  description: string;
  /** In the order of the description. */
  content: ApiContent[];
}

export interface ApiContent {
  /** With its parameters: `application/json; charset=utf-8`. */
  mediaType: string;
  schema: JsonSchema;
  /** By member of a form or multipart body. */
  encoding: Record<string, { contentType?: string; style?: ParameterStyle; explode?: boolean }>;
}

export interface ApiAnswer {
  /** `200`, `4XX` or `default`. */
  status: string;
  description: string;
  content: ApiContent[];
  /** Names of the headers that it describes, in lower case. */
  headers: string[];
}
