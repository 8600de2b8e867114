/**
 * An expected failure of a node: the step's `error`. `code` is stable and in capitals. `details` may be shown to the tenant.
 * `retryable` is false when another attempt would fail too; `failsRun` overrides `on_error`.
 */
export class NodeError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly failsRun: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: string,
    message: string,
    options: { retryable?: boolean; failsRun?: boolean; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'NodeError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.failsRun = options.failsRun ?? false;
    this.details = options.details;
  }
}
