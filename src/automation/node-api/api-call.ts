/** The types by which a manifest describes a request that the platform sends without running code of the package. */

/** A rule by which a request carries a credential. `field`, `username` and `password` are keys of the credential's fields. */
export type CredentialUse =
  /** The field that holds the token. Without it, the access token of an OAuth credential or the token of a session is sent. */
  | { as: 'header' | 'query' | 'cookie'; name: string; field?: string; prefix?: string }
  | { as: 'basic'; username: string; password: string }
  /** In the header of a SOAP envelope, as a UsernameToken of WS-Security with the password as text. */
  | { as: 'username_token'; username: string; password: string }
  /** The access token of an OAuth credential, or a field. */
  | { as: 'bearer'; field?: string }
  /** The client certificate of the connection. The fields hold PEM; `ca` is the authority of the server. */
  | { as: 'certificate'; certificate: string; key: string; ca?: string };

/** The styles of OpenAPI 3.1 for writing a value, and JSON text. */
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
  /** The parameter's name in the request. */
  name: string;
  /** `envelope` is the header of a SOAP envelope. */
  in: 'path' | 'query' | 'header' | 'cookie' | 'envelope';
  style: ParameterStyle;
  explode: boolean;
  /** Characters that have a meaning in URLs are sent as they are. */
  allow_reserved?: boolean;
}

/** The notation of one member of a form or a multipart body. */
export interface MemberEncoding {
  style?: ParameterStyle;
  explode?: boolean;
  /** The media type of the part. OpenAPI allows several; the first is sent. */
  content_type?: string;
  /** In a multipart body, true if text is base64 that is sent as a file. A file reference is always sent as a file. */
  file?: boolean;
}

export interface CallBody {
  /** The key of the config field that holds the value. */
  field: string;
  /** As sent, with parameters: `application/json; charset=utf-8`. */
  media_type: string;
  /** `change_set`: a list of writes, sent as a change set of OData's $batch. */
  as: 'json' | 'form' | 'multipart' | 'xml' | 'text' | 'bytes' | 'change_set';
  /** The name of the root element of an XML body. Without it, the value must have one member, which becomes the root. */
  root?: string;
  encoding?: Record<string, MemberEncoding>;
}

/** An answer that the description names. The most exact match decides: 404 before 4XX before default. */
export interface CallAnswer {
  /** `404`, `4XX`, `default`, or `fault` for a SOAP fault. */
  status: string;
  /** The branch along which the workflow continues. */
  branch: string;
  /** The element in the detail of this SOAP fault. Without it, the answer stands for any fault. */
  fault?: SoapElement;
}

/** An element or an attribute of a SOAP envelope, and the name of its value in JSON. */
export interface SoapElement {
  /** The name in JSON: that of the element, `@currency` for an attribute, `#text` for the text of the element itself. */
  key: string;
  name: string;
  /** Index in `namespaces`; without it, the name is in no namespace. */
  ns?: number;
  /** `xs:int` for a type of XML Schema, else a key of `types`. */
  type: string;
  as?: 'attribute' | 'text';
  /** The element may be repeated, and its value is a list. */
  list?: boolean;
  /** If true, null is sent as `xsi:nil`. If not, null leaves the element out. */
  nillable?: boolean;
}

/** A type whose values are objects, with its attributes and elements in the order in which they are sent. */
export interface SoapType {
  members: SoapElement[];
  /** Members that are not listed are allowed. */
  open?: boolean;
  /** An array in the encoding of SOAP. Its value is a list, and its only member describes the items. */
  array?: boolean;
  /** The name that an encoded value carries. */
  name?: string;
  ns?: number;
}

/** How the envelope of a SOAP call is written and read. */
export interface CallSoap {
  version: '1.1' | '1.2';
  action?: string;
  /** The elements in the body of the request. The config field holds the value of a single one, or an object with the values of several. */
  input: SoapElement[];
  /** The elements in the body of the answer, whose value is output in the same form. */
  output: SoapElement[];
  /** The first element of the body contains the output, whatever its name is. */
  rpc?: boolean;
  /** Values carry the names of their types, as the encoding of SOAP requires. */
  encoded?: boolean;
  /** The header of the envelope. Its values are those of the parameters in `envelope`, by key. */
  headers?: SoapElement[];
  types: Record<string, SoapType>;
  namespaces: string[];
}

/**
 * Describes how a list is paged, like `paging` in the config of core:http-request but without limits. `next_link` without `link` follows
 * the `Link` header. `search_after` asks for the items after the last one: `key` is the path within an item to its position, which may be
 * an id (`starting_after`) or a list (`search_after`).
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
  /** The address of requests if neither the credential nor the config has a `base_url`: https://api.example/v1. */
  base_url?: string;
  /** Parameters are in braces: `/orders/{id}`. */
  path: string;
  parameters: CallParameter[];
  body?: CallBody;
  /** Members that are always sent, such as the query of GraphQL. They are merged, at any depth, into a body that is an object. */
  fixed_body?: Record<string, unknown>;
  /** The key of the config field with a selection set of GraphQL, which replaces the one in the query of `fixed_body`. */
  selection?: string;
  /** Makes the body an envelope of SOAP. */
  soap?: CallSoap;
  /** Headers that are always sent. */
  headers?: Record<string, string>;
  /** The key of the config field that names the credential. */
  credential?: string;
  answers: CallAnswer[];
  paging?: CallPaging;
  /** The header by which the API recognises a repeated request. The platform fills it in. */
  idempotency_header?: string;
}
