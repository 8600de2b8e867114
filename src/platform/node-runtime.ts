/** One execution of a package's code in the sandbox, outside of a run. */
export interface NodeCall {
  /** Whose process runs it; calls of one owner share a process, those of two never do. */
  owner: string;
  codeHash: string;
  /** Asked only where the owner's process does not have the code yet. */
  source: () => Promise<string>;
  /** The exported function that is called. */
  entry: 'execute' | 'resolve' | 'test';
  /** What the code finds on its `ctx`; must be JSON. */
  input: Record<string, unknown>;
  /** Values in the input that may not appear in logs and errors. */
  secrets?: readonly string[];
  /** Answers `ctx.credentials.get(reference, field)`; left out where the code may use none. */
  credential?: ((reference: string, field: string | undefined) => Promise<unknown>) | undefined;
  /** Milliseconds; the runtime clamps it to 30,000. */
  timeoutMs: number;
}

export interface NodeLogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
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

/** `value` is `{outputs, branch}` for `execute`, any JSON for the others. */
export type NodeCallOutcome =
  | { ok: true; value: unknown; logs: NodeLogLine[] }
  | { ok: false; kind: NodeCallFailure; error: { message: string; code?: string }; logs: NodeLogLine[] };

/** The sandbox as use cases see it; workers/runtime implements it. */
export interface NodeRuntime {
  /** Never rejects: whatever the code, its process or the host does is an outcome. */
  execute(call: NodeCall): Promise<NodeCallOutcome>;
  close(): Promise<void>;
}
