/**
 * Expected failures are values with a code. One table says what each code means to a REST client; the graph answers the
 * same codes as typed errors or in `extensions.code`.
 */
export const errorCodes = {
  BAD_REQUEST: { status: 400, message: 'Bad Request.' },
  UNAUTHENTICATED: { status: 401, message: 'Unauthenticated.' },
  TENANT_REQUIRED: { status: 403, message: 'Tenant context is required.' },
  FORBIDDEN: { status: 403, message: 'This action is unauthorized.' },
  INVALID_SIGNATURE: { status: 403, message: 'Invalid signature.' },
  NOT_FOUND: { status: 404, message: 'Not found.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed.' },
  CONFLICT: { status: 409, message: 'The request conflicts with the present state.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  VALIDATION_FAILED: { status: 422, message: 'The given data was invalid.' },
  UNPROCESSABLE: { status: 422, message: 'The request cannot be processed.' },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too Many Attempts.' },
  INTERNAL: { status: 500, message: 'Server Error' },
  RUNTIME_FAILED: { status: 502, message: 'Node runtime failed.' },
  UNAVAILABLE: { status: 503, message: 'Service unavailable.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** Messages per field, keyed by dotted path (`status.0`, `blob.nodes.0.version`). */
export type FieldErrors = Record<string, string[]>;

/**
 * An expected failure. `details` is merged into the REST body beside `message` (never secrets); `retryAfter` is whole
 * seconds. Anything thrown that is not an AppError is a bug: it is masked and logged.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string = errorCodes[code].message,
    options: { details?: Record<string, unknown>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** A 422 with messages per field. */
export class ValidationError extends AppError {
  readonly fields: FieldErrors;

  constructor(fields: FieldErrors, message?: string) {
    super('VALIDATION_FAILED', message);
    this.name = 'ValidationError';
    this.fields = fields;
  }
}

export const notFound = (): AppError => new AppError('NOT_FOUND');

export const conflict = (message: string): AppError => new AppError('CONFLICT', message);
