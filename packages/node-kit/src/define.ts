/**
 * The API of node code. A bundle contains this file's four lines of runtime and nothing else of the kit.
 * The sandbox has the language, URL, TextEncoder, timers and crypto.randomUUID, but no Node built-ins, `fetch` or `process`:
 * everything outside is reached through `ctx`.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A file of the run, as outputs of steps hold it. */
export interface FileReference {
  /** The id; the other members are for people and expressions. */
  file: string;
  name: string;
  /** Media type. */
  type: string;
  /** Bytes. */
  size: number;
  /** Hex. */
  sha256: string;
}

export interface HttpRequest {
  method?: string;
  /** Absolute; http or https. */
  url: string;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean | (string | number | boolean)[]>;
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown;
  /** Sent as the body, as a stream that does not pass through the code, with the file's type unless the headers name another. */
  file?: Pick<FileReference, 'file'>;
  /**
   * `file` makes a file of the answer, and `auto` only if the answer is neither text nor a form. Answers with a status of 300 or more are
   * always read. Default `content`.
   */
  answer?: 'content' | 'file' | 'auto';
  /** The platform limits it. */
  timeoutMs?: number;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Parsed when the response's content type is JSON, else text; null if the answer became a file. */
  body: unknown;
  file?: FileReference;
}

export interface Http {
  /** Resolves for any status; rejects only when there is no response. */
  request(request: HttpRequest): Promise<HttpResponse>;
}

export interface StateEntry {
  value: Json;
  /** Counts the writes of one key. */
  version: number;
}

export interface WriteOptions {
  /** Write only over this version; null: only if there is no entry yet. */
  expectedVersion?: number | null;
}

export interface SetOptions extends WriteOptions {
  /** Seconds until the entry expires. A write without it keeps the entry permanently. */
  ttlSeconds?: number;
}

/** The tenant's state store, in the namespaces that the workflow declares. A stale version rejects with `STATE_CONFLICT`. */
export interface State {
  get(namespace: string, key: string): Promise<StateEntry | null>;
  set(namespace: string, key: string, value: Json, options?: SetOptions): Promise<{ version: number }>;
  delete(namespace: string, key: string, options?: WriteOptions): Promise<void>;
}

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/**
 * Files of the run. A reference that is not of this tenant, or has expired, rejects with `FILE_NOT_FOUND`. To pass a file on, use `file` and
 * `answer` of a request, which do not move its bytes through the code.
 */
export interface Files {
  /** At most 256 KiB from the beginning, or `length` bytes, up to 1 MiB, from `offset`. Shorter only at the end of the file. */
  read(file: Pick<FileReference, 'file'>, range?: { offset?: number; length?: number }): Promise<Uint8Array>;
  /** The whole file in order, in parts of at most 256 KiB. */
  parts(file: Pick<FileReference, 'file'>): AsyncIterable<Uint8Array>;
  /** The whole file as UTF-8. It has to fit into the memory of the code. */
  text(file: Pick<FileReference, 'file'>): Promise<string>;
  /** Stores a file, which is kept with the run. Pieces may be of any size. */
  create(file: { name?: string; type?: string }, content: string | Uint8Array | Pieces): Promise<FileReference>;
}

/** Credentials by the config field that names one; one field at a time, so that a secret is handed out only where it is used. */
export interface Credentials {
  get(configKey: string, field: string): Promise<unknown>;
}

/** Values are written as text, objects as JSON. Secrets handed out by `credentials` are removed. */
export interface Log {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}

/** The part of an AbortSignal that node code needs: set when the run is cancelled. */
export interface Signal {
  readonly aborted: boolean;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface NodeContext<Config = Record<string, unknown>, Inputs = Record<string, unknown>> {
  /** Its expressions are already evaluated. */
  config: Config;
  inputs: Inputs;
  credentials: Credentials;
  state: State;
  log: Log;
  http: Http;
  files: Files;
  signal: Signal;
  /** The same for every attempt of this step: send it along, so that a repeated attempt changes nothing. */
  idempotencyKey: string;
}

export interface NodeResult<Outputs = Record<string, unknown>, Branch extends string = string> {
  outputs?: Outputs;
  /** `default` if absent. */
  branch?: Branch;
}

export interface ResolveContext<Config = Record<string, unknown>> extends Pick<
  NodeContext<Partial<Config>>,
  'config' | 'credentials' | 'http' | 'log' | 'signal'
> {
  /** `outputs`, `*` or a config field's key. */
  target: string;
  locale: string | null;
  search: string | null;
}

export interface ResolveResult {
  fields?: { key: string; type: string; options?: { value: string | number | boolean; label?: string }[] }[];
  outputs?: { name: string; type?: string }[];
}

export interface NodeDefinition<
  Config = Record<string, unknown>,
  Outputs = Record<string, unknown>,
  Inputs = Record<string, unknown>,
  Branch extends string = string,
> {
  execute: (ctx: NodeContext<Config, Inputs>) => Promise<NodeResult<Outputs, Branch>> | NodeResult<Outputs, Branch>;
  /** Returns the parts that depend on the config so far: options of a dynamic field, outputs. */
  resolve?: (ctx: ResolveContext<Config>) => Promise<ResolveResult> | ResolveResult;
  /**
   * Returns the config that this version needs in place of one that was made for the earlier version `fromVersion`. Expressions are text
   * (`{{ trigger.payload.sku }}`) and must be kept. It has no `ctx`: it reaches neither the network nor credentials.
   */
  migrate?: (
    config: Record<string, unknown>,
    fromVersion: string,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>;
}

/** Types a node: `export const { execute } = defineNode<Config, Outputs>({ async execute(ctx) { ... } })`. */
export const defineNode = <
  Config = Record<string, unknown>,
  Outputs = Record<string, unknown>,
  Inputs = Record<string, unknown>,
  Branch extends string = string,
>(
  node: NodeDefinition<Config, Outputs, Inputs, Branch>,
): NodeDefinition<Config, Outputs, Inputs, Branch> => node;

export interface CredentialTestContext<Fields = Record<string, unknown>> extends Pick<
  NodeContext,
  'http' | 'log' | 'signal'
> {
  /** The values of the form, secrets included. */
  config: Fields;
}

export interface CredentialTestResult {
  ok: boolean;
  /** At most 500 characters are kept. */
  message?: string;
}

export interface CredentialTypeDefinition<Fields = Record<string, unknown>> {
  test: (ctx: CredentialTestContext<Fields>) => Promise<CredentialTestResult> | CredentialTestResult;
}

/** Types a credential type's module: `export const { test } = defineCredentialType<Fields>({ ... })`. */
export const defineCredentialType = <Fields = Record<string, unknown>>(
  type: CredentialTypeDefinition<Fields>,
): CredentialTypeDefinition<Fields> => type;

/** Fails the step with a code that workflows and people can distinguish. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
