import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Actor } from '#src/infra/deps.ts';
import type { ClientCertificate } from '#src/infra/egress/connector.ts';
import type { SocketRequest } from '#src/infra/egress/open-socket.ts';
import type { Receive, ResponseHead, StreamedBody } from '#src/infra/egress/request.ts';
import type { CredentialUse } from './api-call.ts';
import type { FileReference } from './file-reference.ts';
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
  files: FilesPort;
  sockets: SocketsPort;
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
    body: string | Uint8Array | StreamedBody | null;
    /** Called when the answer begins. If it returns a function, that receives the body as a stream, and the answer has an empty body. */
    receive?: ((head: ResponseHead) => Receive | undefined) | undefined;
    timeoutMs: number;
    /** How many redirects to follow; a further one is an error. 0 makes each a response. */
    redirects: number;
    /** Refuses http, except to an allowed host. Also applies without this flag if the request contains a secret of the run. */
    secure: boolean;
    /** The client certificate of the connection. */
    certificate?: ClientCertificate | undefined;
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
  /** Resolves when the rate limit allows a request. Rejects with a RateLimitedError if the step has to wait without its worker. */
  takeTurn?(signal: AbortSignal): Promise<void>;
  /** Call this with each answer, because it may state a limit. True if the API refused the request because of that; it may be sent again. */
  noteAnswer?(answer: { status: number; headers: Readonly<Record<string, string | string[]>> }): Promise<boolean>;
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

/** For protocols other than HTTP. */
export interface SocketsPort {
  /** Opens a TCP connection under the rules of all outbound requests. Rejects with an EgressError. */
  open(to: SocketRequest): Promise<Socket>;
}

/** Runs code that is part of a workflow. */
export interface SandboxPort {
  /**
   * Runs `code` in the sandbox process of the tenant, with the state and the network of a package's node but without credentials. Never
   * rejects: every failure is an outcome.
   */
  run(call: {
    /** `source` assigns an object with the function `run` to `__node`; `hash` identifies it. */
    code: { hash: string; source: string };
    /** The data that the function receives as members of its argument; must be JSON. */
    input: Record<string, unknown>;
    idempotencyKey: string;
    signal: AbortSignal;
    /** Rewrites each line that the code logs, before it is kept. */
    describeLog: (text: string) => string;
  }): Promise<NodeCallOutcome>;
}

/** Files of the run. They are streamed in both directions, so that their size does not matter to the worker's memory. */
export interface FilesPort {
  /**
   * Finds the file of a reference and keeps it for this run. Rejects with a NodeError FILE_NOT_FOUND unless it is a file of this tenant that
   * has not expired.
   */
  open(reference: Pick<FileReference, 'file'>): Promise<OpenFile>;
  /**
   * Stores a stream as a new file of the run. Name and type may come from strangers: they are cleaned. Rejects with a NodeError above the
   * limits, and with the stream's own error. An attempt that is repeated makes another file; the first expires with the run.
   */
  create(
    file: {
      name?: string | undefined;
      type?: string | undefined;
      /** The expected bytes, if known: a file that would be too large is then refused before it is read. */
      size?: number | undefined;
    },
    content: Readable,
  ): Promise<FileReference>;
}

/** A file as it is stored. Of a reference, only the id is used. */
export interface OpenFile extends FileReference {
  /** Opens its bytes, each time from the beginning. The stream fails at its end if storage has damaged them; destroy it if it is not read. */
  stream: () => Promise<Readable>;
}
