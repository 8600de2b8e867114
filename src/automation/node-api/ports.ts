/** What core nodes need of the world outside a run. The engine gives each step ports that know its tenant and workflow. */
export interface CoreNodePorts {
  http: HttpPort;
  credentials: CredentialsPort;
  state: StatePort;
  events: EventsPort;
}

export interface HttpPort {
  /** One request without redirects; any status is an answer. */
  request(request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body: string | null;
    timeoutMs: number;
    signal: AbortSignal;
  }): Promise<{ status: number; headers: Record<string, string | string[]>; body: Uint8Array }>;
}

export interface CredentialsPort {
  /** Rejects with a NodeError when the tenant has no such credential, or it is not active. */
  open(id: string): Promise<OpenCredential>;
}

/** Gives out single fields, so that a secret is read only where it is used. */
export interface OpenCredential {
  /** Slug of the credential type, such as `core:bearer`. */
  type: string;
  /** Undefined when empty. OAuth credentials have `access_token`, fresh. */
  field(name: string): Promise<string | undefined>;
  /** To be told of what is made out of a secret and goes out in its place. */
  madeOf?(secret: string): void;
}

export interface StatePort {
  get(namespace: string, key: string): Promise<{ value: unknown; version: number } | undefined>;
  /**
   * Rejects with a NodeError when `version` is stale (0: only where nothing is) or the workflow may not write there. Answers the
   * new version. `idempotencyKey` is for steps that write once: repeated, such a write with a version succeeds again.
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
  /** The same idempotency key emits once. */
  emit(event: { topic: string; data: unknown; idempotencyKey: string }): Promise<void>;
}
