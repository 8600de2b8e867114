import type { CallSoap, ParameterStyle, SoapElement } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

/**
 * An API in a form that does not depend on the kind of its description. Schemas are JSON Schema (2020-12). A `$ref` in them is
 * `#/$defs/<name>` and names an entry of `definitions`; references may be circular.
 */
export interface ApiDescription {
  kind: 'openapi' | 'postman' | 'odata' | 'graphql' | 'soap' | 'asyncapi';
  title: string;
  version: string;
  /** SHA-256 of the bytes of the description, hexadecimal. */
  hash: string;
  servers: ApiServer[];
  /** The security schemes, keyed by the names that operations use. */
  security: Record<string, SecurityScheme>;
  operations: ApiOperation[];
  /** The messages that the API sends, which triggers receive. */
  messages?: ApiMessage[];
  definitions: Record<string, JsonSchema>;
  /** The operations that cannot become nodes, with reasons. */
  skipped: SkippedOperation[];
}

export interface SkippedOperation {
  /** `POST /orders`, or the name in the description. */
  operation: string;
  /** Why the operation is skipped, as a sentence. */
  reason: string;
}

export interface ApiServer {
  /** Absolute, or relative to the URL of the description. May have variables in braces. */
  url: string;
  variables: Record<string, { default: string; options: string[]; description?: string }>;
}

export type SecurityScheme = { description?: string } & (
  | { type: 'api_key'; in: 'header' | 'query' | 'cookie'; name: string }
  | { type: 'basic' }
  | { type: 'username_token' }
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

export interface ApiMessage {
  /** Unique, lower-case with dashes, at most 64 characters. */
  name: string;
  title: string;
  summary: string;
  /** The schema of the body. */
  schema: JsonSchema;
  /** Names of the headers that the description gives. */
  headers: string[];
  /** The header that seems to hold a signature. */
  signatureHeader?: string;
}

/** One operation, which becomes one node. */
export interface ApiOperation {
  /**
   * Unique, lower-case with dashes, at most 64 characters: `get-orders-by-id`. It changes only if the method, the path or the id changes.
   */
  name: string;
  /** A few words for people. */
  title: string;
  /** A sentence or two; empty if the description has none. */
  summary: string;
  tags: string[];
  deprecated: boolean;
  method: string;
  /** Parameters are in braces: `/orders/{id}`. */
  path: string;
  /** The operation's own servers, if they differ from those of the API. */
  servers?: ApiServer[];
  parameters: ApiParameter[];
  body?: ApiBody;
  /** Members that are always part of a JSON body, such as the query of GraphQL. */
  fixedBody?: Record<string, unknown>;
  /** The selection set in the query of GraphQL, if it has one: `{ id name }`. */
  selection?: string;
  /** True if the body is a list of writes that are sent as a change set of OData's $batch. */
  isChangeSet?: boolean;
  /** Headers that every request carries. */
  headers?: Record<string, string>;
  soap?: CallSoap;
  answers: ApiAnswer[];
  /**
   * Alternatives; a request needs all schemes of one of them. Without alternatives, no credential is needed; an empty alternative makes it
   * optional.
   */
  security: string[][];
}

export interface ApiParameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie' | 'envelope';
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
  /** Media types, in the order of the description. */
  content: ApiContent[];
}

export interface ApiContent {
  /** Includes its parameters: `application/json; charset=utf-8`. */
  mediaType: string;
  schema: JsonSchema;
  /** Encodings, keyed by member of a form or multipart body. */
  encoding: Record<string, { contentType?: string; style?: ParameterStyle; explode?: boolean }>;
}

export interface ApiAnswer {
  /** `200`, `4XX`, `default`, or `fault` for a SOAP fault. */
  status: string;
  /** The name and the element of a described SOAP fault. */
  fault?: { name: string; element: SoapElement };
  description: string;
  content: ApiContent[];
  /** Lower-case names of the headers that the description gives. */
  headers: string[];
}
