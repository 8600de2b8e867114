/** The TypeScript types of a node package's documents, after they have passed the published schemas. */
import type { AuthKind } from '#prisma/enums.ts';
import type { ApiCall, CredentialUse } from './api-call.ts';

/** How a credential gets its tokens: after an authorisation by a user, for the client alone, or with a user's name and password. */
export type OAuthGrantType = 'authorization_code' | 'client_credentials' | 'password';

/** The ways to get tokens, including a sign-in to an API that returns a session token. */
export type GrantType = OAuthGrantType | 'session';

export type Scalar = string | number | boolean;

export interface FieldOption {
  value: Scalar;
  label?: string;
}

interface Field {
  key: string;
  label?: string;
  required?: boolean;
  default?: unknown;
  options?: FieldOption[];
  help?: string;
  pattern?: string;
}

export interface CredentialField extends Field {
  type: 'string' | 'secret' | 'number' | 'boolean' | 'select' | 'url' | 'text' | 'json';
}

export interface ConfigField extends Field {
  type: CredentialField['type'] | 'expression' | 'list' | 'object' | 'variant' | 'credentials-ref';
  dynamic?: boolean;
  credential_types?: string[];
  /** True if null is a value, different from leaving the field out. Only for fields within others. */
  nullable?: boolean;
  /** The meaning of text or a number: `date`, `date-time`, `email`, `uuid`, `int64`, `byte`, ... */
  format?: string;
  /** The members of an object, whose keys are the names that are sent. Other members are kept unchanged. */
  fields?: ConfigField[];
  /** Describes each item of a list. Its key is not used. */
  items?: ConfigField;
  /** The possible shapes of a variant; the value has one of them. */
  variants?: FieldVariant[];
  /** The member of a variant whose value names the shape. Without it, the first shape that fits is used. */
  discriminator?: string;
}

/** One shape of a variant. */
export interface FieldVariant {
  /** The value of the discriminator. Without a discriminator, any unique name. */
  name: string;
  label?: string;
  field: ConfigField;
}

export interface ManifestImage {
  src: string;
  alt?: Record<string, string>;
  title?: Record<string, string>;
  category?: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

interface Described {
  slug: string;
  version: string;
  name: string;
  description?: string;
  icon?: string;
  images?: ManifestImage[];
}

export interface Port {
  name: string;
  type?: 'string' | 'number' | 'boolean' | 'object' | 'array' | 'any';
  required?: boolean;
  description?: string;
}

export interface NodeManifest extends Described {
  manifest_version: 'v0-draft';
  kind: 'action' | 'transform' | 'control';
  config?: ConfigField[];
  inputs?: Port[];
  outputs?: Port[];
  branches?: string[];
  branches_from?: string;
  /** JSON Schemas (2020-12) of the outputs, by branch. */
  output_schemas?: Record<string, JsonSchema>;
  /** The request that the platform sends for the node; a node has this or an `entry`. */
  call?: ApiCall;
  entry?: string;
}

export interface CredentialTypeManifest extends Described {
  auth_kind: AuthKind;
  oauth2?: {
    grant_type?: OAuthGrantType;
    discovery_url?: string;
    authorize_url?: string;
    token_url?: string;
    issuer?: string;
    scopes?: string[];
  };
  /** Settings of a session that are fixed for every credential of this type. Fields with the same names supply the other settings. */
  session?: SessionSettings;
  fields: CredentialField[];
  /** The rules by which calls carry the credential. Without them, only code and core:http-request can use the credential. */
  sends?: CredentialUse[];
  entry?: string;
}

/** How to ask an API for a session token, and where to find the token in the answer. */
export interface SessionSettings {
  login_url?: string;
  /** How the user name and the password are sent. Default `json`. */
  login_as?: 'json' | 'form' | 'basic';
  /** The names of the members of the body that hold them. Default `username` and `password`. */
  username_member?: string;
  password_member?: string;
  /** The part of the answer that has the token. Default `body`. */
  token_in?: 'body' | 'header' | 'cookie';
  /** The name of the header or cookie, or the path of the member, such as `data.token`. */
  token_name?: string;
  /** Seconds that a token lasts. Without it, a token is used until the API refuses it. */
  lifetime_s?: number;
}

export interface TemplatePlaceholder {
  key: string;
  kind: 'credential' | 'value';
  label?: string;
  help?: string;
  required?: boolean;
  default?: unknown;
  credential_types?: string[];
}

export interface TemplateManifest extends Described {
  placeholders?: TemplatePlaceholder[];
  /** A workflow-blob/v1 as a client sends it, with placeholders in its configs. */
  blob: Record<string, unknown>;
}

/** A message that another system sends to a webhook trigger. */
export interface MessageManifest {
  /** `<namespace>:<name>` */
  slug: string;
  version: string;
  name: string;
  description?: string;
  /** Headers that the sender names. */
  headers?: string[];
  signature_header?: string;
  /** JSON Schema (2020-12) of the body, without references. */
  schema: JsonSchema;
}

export interface PackageImage {
  path: string;
  contentType: string;
  content: Buffer;
  /** SHA-256 of the content, hexadecimal. */
  hash: string;
}

/** A node package that passed every check. */
export interface NodePackage {
  name: string;
  version: string;
  label: string;
  description: string;
  namespace: string;
  nodes: NodeManifest[];
  credentialTypes: CredentialTypeManifest[];
  templates: TemplateManifest[];
  messages: MessageManifest[];
  images: PackageImage[];
}

/** The namespace of a slug: `erp` of `erp:create-order`. */
export const slugNamespace = (slug: string): string => slug.slice(0, slug.indexOf(':'));
