/** The documents by which a manifest describes a request that the platform sends itself, without code of the package. */

/** How a credential is put into a request. Values are those of the credential's fields. */
export type CredentialUse =
  | { as: 'header' | 'query' | 'cookie'; name: string; field: string; prefix?: string }
  | { as: 'basic'; username: string; password: string }
  /** The access token of an OAuth credential, or a field. */
  | { as: 'bearer'; field?: string };

/** How a value is written: the styles of OpenAPI 3.1. */
export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  /** As JSON text. */
  | 'json';

export interface CallParameter {
  /** The key of the config field that holds the value. */
  field: string;
  /** What the parameter is called in the request. */
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  style: ParameterStyle;
  explode: boolean;
  /** Characters that have a meaning in URLs are sent as they are. */
  allow_reserved?: boolean;
}

/** How one member of a form or a multipart body is written. */
export interface MemberEncoding {
  style?: ParameterStyle;
  explode?: boolean;
  /** Of several, as OpenAPI allows, the first is sent. */
  content_type?: string;
  /** In a multipart body: text is the base64 of a file, which is sent as one. */
  file?: boolean;
}

export interface CallBody {
  /** The key of the config field that holds the value. */
  field: string;
  /** As it is sent, with its parameters: `application/json; charset=utf-8`. */
  media_type: string;
  as: 'json' | 'form' | 'multipart' | 'xml' | 'text' | 'bytes';
  /** Of an XML body: the name of its root element. Without it, the value has one member, which is the root. */
  root?: string;
  encoding?: Record<string, MemberEncoding>;
}

/** An answer that the description tells of. The most exact one counts: 404, then 4XX, then default. */
export interface CallAnswer {
  status: string;
  /** The branch on which the node goes on. */
  branch: string;
}

/**
 * How the pages of a list follow one another: the config of `paging` of core:http-request, without its limits. `next_link` without `link`
 * follows the `Link` header. `search_after` asks for what follows the last item: `key` is the place of its position within an item, which
 * may be an id (`starting_after`) or a list (`search_after`).
 */
export type CallPaging =
  | { by: 'next_link'; items?: string[]; link?: string[] }
  | { by: 'search_after'; items?: string[]; key: string[]; param: string; in?: 'query' | 'body'; has_more?: string[] }
  | { by: 'cursor'; items?: string[]; cursor: string[]; param: string; in?: 'query' | 'body'; has_more?: string[] }
  | {
      by: 'offset';
      items?: string[];
      param: string;
      in?: 'query' | 'body';
      start?: number;
      total?: string[];
      has_more?: string[];
    }
  | {
      by: 'page';
      items?: string[];
      param: string;
      in?: 'query' | 'body';
      start?: number;
      total?: string[];
      pages?: string[];
      has_more?: string[];
    };

export interface ApiCall {
  method: string;
  /** Where requests go when neither the credential nor the config has a `base_url`: https://api.example/v1. */
  base_url?: string;
  /** With places for parameters in braces: `/orders/{id}`. */
  path: string;
  parameters: CallParameter[];
  body?: CallBody;
  /** Members that are always sent, such as the query of GraphQL: merged into a body that is an object, at any depth. */
  fixed_body?: Record<string, unknown>;
  /** Headers that are always sent. */
  headers?: Record<string, string>;
  /** The key of the config field that names the credential. */
  credential?: string;
  answers: CallAnswer[];
  paging?: CallPaging;
  /** The header that makes a repeated request harmless; the platform fills it in. */
  idempotency_header?: string;
}
