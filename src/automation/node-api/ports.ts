import type { Actor } from '#src/infra/deps.ts';
import type { CredentialUse } from './api-call.ts';
import type { NodeCallOutcome } from './node-runtime.ts';

/**
 * The services that the host offers to a built-in node. The engine gives each step ports that know its tenant and workflow; a test of a
 * node gives it ports that change nothing.
 */
export interface NodePorts {
  tenant: TenantPort;
  http: HttpPort;
  credentials: CredentialsPort;
  state: StatePort;
  events: EventsPort;
  sandbox: SandboxPort;
}

/** For nodes that call use cases of their own domain. */
export interface TenantPort {
  /** The tenant the node acts in. Throws a NodeError in a test of a node that names no tenant. */
  id(): string;
  /** Who acts: the run. Throws a NodeError in a test of a node, which changes nothing. */
  actor(): Actor;
}

export interface HttpPort {
  /** Sends one request; any status is a response. A redirect to another origin gets neither credentials nor a body. */
  request(request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body: string | Uint8Array | null;
    timeoutMs: number;
    /** How many redirects to follow; a further one is an error. 0 makes each a response. */
    redirects: number;
    /** Refuses http, except to an allowed host. Also applies without this flag if the request contains a secret of the run. */
    secure: boolean;
    signal: AbortSignal;
  }): Promise<{ status: number; headers: Record<string, string | string[]>; body: Uint8Array; url: string }>;
}

export interface CredentialsPort {
  /** Rejects with a NodeError when the tenant has no such credential or it is not active. */
  open(id: string): Promise<OpenCredential>;
}

/** Gives out single fields, so that a secret is read only where it is used. */
export interface OpenCredential {
  /** Slug of the credential type, such as `core:bearer`. */
  type: string;
  /** The rules by which requests carry the credential; undefined if its type has none. */
  sends?: readonly CredentialUse[] | undefined;
  /** Undefined when empty. OAuth credentials have a fresh `access_token`, and the other members of the provider's token answer. */
  field(name: string): Promise<string | undefined>;
  /** Called with values that are derived from a secret and sent in its place. */
  onDerived?(secret: string): void;
  /** The headers of a request that was answered with 401, with another access token. Undefined when there is no other. */
  renewIn?(headers: Readonly<Record<string, string>>): Promise<Record<string, string> | undefined>;
  /** Called when the request with those headers was answered with 401, too. */
  renewedInVain?(headers: Readonly<Record<string, string>>): void;
}

export interface StatePort {
  get(namespace: string, key: string): Promise<{ value: unknown; version: number } | undefined>;
  /**
   * Returns the new version. Rejects with a NodeError when `version` is stale (0: only if there is no entry) or the workflow may
   * not write there. `idempotencyKey` is for steps that write once: repeating such a write with a version succeeds again.
   */
  set(entry: {
    namespace: string;
    key: string;
    value: unknown;
    version?: number;
    ttlSeconds?: number;
    idempotencyKey?: string;
  }): Promise<{ version: number }>;
}

export interface EventsPort {
  /** Emits once a step, however often it is attempted: events are published with the record of its success. */
  emit(event: { topic: string; data: unknown }): Promise<void>;
}

/** For code that a workflow brings itself. */
export interface SandboxPort {
  /**
   * Runs `code` in the process of the tenant, with the state and the network that a package's node has, and no credentials. Never rejects:
   * every failure is an outcome.
   */
  run(call: {
    /** `source` assigns an object with the function `run` to `__node`; `hash` identifies it. */
    code: { hash: string; source: string };
    /** The data that the function finds on its argument; must be JSON. */
    input: Record<string, unknown>;
    idempotencyKey: string;
    signal: AbortSignal;
    /** Rewrites each line that the code logs, before it is kept. */
    describeLog: (text: string) => string;
  }): Promise<NodeCallOutcome>;
}
