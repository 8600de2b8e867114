import type { FilesPort, OpenCredential } from './ports.ts';
import type { CallLog } from './sent-calls.ts';

/** One call of a package's code in the sandbox: a step of a run, or a test from the API. */
export interface NodeCall {
  /** The owner of the process that runs it: a tenant's id, or `user/<id>`. Two owners never share a process. */
  owner: string;
  codeHash: string;
  /** Called only if the owner's process does not have the code yet. */
  source: () => Promise<string>;
  /** The exported function to call. `run` is the function of a code node. `migrate` has no `ctx`, and reaches neither the network nor state or credentials. */
  entry: 'execute' | 'run' | 'resolve' | 'migrate' | 'test';
  /** The data that the code finds on its `ctx`, for `migrate` {config, fromVersion}; must be JSON. */
  input: Record<string, unknown>;
  /** Values in the input that must not appear in logs and errors. */
  secrets?: readonly string[];
  /** True when a value contains a secret that the code was given; requests that do are not sent over plain http. */
  holdsSecret?: (value: unknown) => boolean;
  /** Serves `ctx.credentials.get(reference, field)`; absent when the code may not use credentials. */
  credential?: NodeCredentials | undefined;
  /** Serves `ctx.state`; absent when the code has no state. */
  state?: NodeState | undefined;
  /** Serves `ctx.files`, and requests that send or save files; absent when the code has no files. */
  files?: FilesPort | undefined;
  /** Milliseconds from when the call leaves the queue; the runtime clamps it to 30,000. */
  timeoutMs: number;
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Receives each log line as it is written. The outcome has all of them again. */
  onLog?: (line: NodeLogLine) => void;
  /** Collects the requests it sends. */
  callLog?: CallLog | undefined;
}

/** The credentials as one node may use them. */
export interface NodeCredentials extends Pick<OpenCredential, 'renewIn' | 'renewedInVain' | 'takeTurn' | 'noteAnswer'> {
  field(reference: string, name: string | undefined): Promise<unknown>;
}

/** The state store as one node may use it. `version` is 0 for a key that does not exist. */
export interface NodeState {
  get(namespace: string, key: string): Promise<{ value: unknown; version: number } | undefined>;
  set(entry: {
    namespace: string;
    key: string;
    value: unknown;
    version?: number;
    ttlSeconds?: number;
  }): Promise<{ version: number }>;
  delete(entry: { namespace: string; key: string; version?: number }): Promise<void>;
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

export interface NodeLogLine {
  level: (typeof logLevels)[number];
  message: string;
}

/** `outputs` is a JSON object; `branch` is `default` unless the node chose another. */
export interface NodeResult {
  outputs: Record<string, unknown>;
  branch: string;
}

/** A place in the code that the sandbox ran; both count from 1. */
export interface SourcePlace {
  line: number;
  column: number;
}

export type NodeCallFailure =
  | 'threw'
  | 'timeout'
  | 'memory'
  | 'cancelled'
  | 'crashed'
  | 'unavailable'
  | 'invalid_result'
  | 'output_too_large';

/**
 * `value` is a NodeResult for `execute`, any JSON for the others. A failure is the node's own (`threw`, `timeout`, `memory`,
 * `invalid_result`, `output_too_large`), the host's (`crashed`, `unavailable`; it may be tried again), or asked for
 * (`cancelled`). `place` is where the code threw. `logs` is what was written before the end.
 */
export type NodeCallOutcome =
  | { ok: true; value: unknown; logs: NodeLogLine[] }
  | {
      ok: false;
      kind: NodeCallFailure;
      error: { message: string; code?: string; place?: SourcePlace };
      logs: NodeLogLine[];
    };

/** The sandbox as use cases see it; implemented in workers/runtime. */
export interface NodeRuntime {
  /** Never rejects: every failure of the code, its process or the host is an outcome. */
  execute(call: NodeCall): Promise<NodeCallOutcome>;
  close(): Promise<void>;
}
