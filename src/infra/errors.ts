// Imported from a module of 'graphql', because the package's index loads 130 modules and a worker needs none of the others.
import { GraphQLError, type GraphQLErrorOptions } from 'graphql/error/GraphQLError.js';

/**
 * Expected failures are values with a code. One table maps each code to its REST status and message; GraphQL returns the
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
  GONE: { status: 410, message: 'Gone.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  VALIDATION_FAILED: { status: 422, message: 'The given data was invalid.' },
  UNPROCESSABLE: { status: 422, message: 'The request cannot be processed.' },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too Many Attempts.' },
  INTERNAL: { status: 500, message: 'Server Error' },
  INTEGRITY_FAILED: { status: 502, message: 'The file differs from what was registered.' },
  RUNTIME_FAILED: { status: 502, message: 'Node runtime failed.' },
  UNAVAILABLE: { status: 503, message: 'The service is unavailable. Try again shortly.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** Messages per field, keyed by dotted path (`status.0`, `blob.nodes.0.version`). */
export type FieldErrors = Record<string, string[]>;

/** An expected failure. Any other thrown error is a bug: it is masked and logged. */
export class AppError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string = errorCodes[code].message, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
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

export class NotFoundError extends AppError {
  constructor(message?: string) {
    super('NOT_FOUND', message);
    this.name = 'NotFoundError';
  }
}

export class ConflictError extends AppError {
  /** The version that the object has now, where the caller named another; else null. */
  readonly currentVersion: number | null;

  constructor(message?: string, { currentVersion = null }: { currentVersion?: number | null } = {}) {
    super('CONFLICT', message);
    this.name = 'ConflictError';
    this.currentVersion = currentVersion;
  }
}

/** A request that is refused before any of it runs. */
export const badRequest = (message: string, nodes?: GraphQLErrorOptions['nodes']): GraphQLError =>
  new GraphQLError(message, { nodes: nodes ?? null, extensions: withHttp('BAD_REQUEST', {}) });

/**
 * A document that does not parse or fit the schema, or variables that do not fit the document. Its status is 400, but 200 for clients that
 * accept `application/json` only, as GraphQL over HTTP specifies (Yoga recognises it by `spec`).
 */
export const badDocument = (message: string, nodes?: GraphQLErrorOptions['nodes']): GraphQLError =>
  new GraphQLError(message, { nodes: nodes ?? null, extensions: withHttp('BAD_REQUEST', {}, { spec: true }) });

/** Status and headers are for HTTP only, so they are not serialised. */
function withHttp(
  code: ErrorCode,
  more: { retryAfter?: number },
  { spec = false, challenge }: { spec?: boolean; challenge?: string | undefined } = {},
): { code: ErrorCode; retryAfter?: number } {
  const extensions = { code, ...more };
  const headers = {
    ...(more.retryAfter !== undefined && { 'retry-after': String(more.retryAfter) }),
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
  };
  Object.defineProperty(extensions, 'http', { value: { status: errorCodes[code].status, spec, headers } });
  return extensions;
}

/** `WWW-Authenticate` as RFC 6750 specifies for a token that was sent and is invalid. The reason is only logged. */
export const refusedTokenChallenge = 'Bearer error="invalid_token"';

/** True if credentials were sent and refused: the reason is then the cause of the error. */
export const isRefusedToken = ({ extensions, originalError }: GraphQLError): boolean =>
  extensions['code'] === 'UNAUTHENTICATED' && originalError != null;

/** Makes the error the response to the whole request, none of which ran; it then sets the HTTP status as well. */
export function refusing(error: GraphQLError): GraphQLError {
  const { code, retryAfter, ...more } = error.extensions as { code?: ErrorCode; retryAfter?: number };
  if (code === undefined || !Object.hasOwn(errorCodes, code)) return error;
  const challenge = isRefusedToken(error) ? refusedTokenChallenge : undefined;
  const extensions = Object.assign(withHttp(code, retryAfter === undefined ? {} : { retryAfter }, { challenge }), more);
  return new GraphQLError(error.message, { extensions, originalError: error.originalError ?? null });
}

/** Codes that refuse a whole request. They are top-level errors, not members of a mutation's union. */
export type AccessCode = 'UNAUTHENTICATED' | 'TENANT_REQUIRED' | 'FORBIDDEN' | 'TOO_MANY_ATTEMPTS';

interface Refused {
  /** For the log: why credentials were refused. */
  cause?: unknown;
  /** Whole seconds. */
  retryAfter?: number;
  /** For the caller: what is missing, and what to send instead. */
  hint?: string | undefined;
  /** For programs: one of these roles of a token is enough. */
  roles?: string[];
}

/** A top-level error. */
export function accessError(code: AccessCode, { cause, retryAfter, hint, roles }: Refused = {}): GraphQLError {
  const extensions: { code: AccessCode; hint?: string; roles?: string[] } =
    retryAfter === undefined ? { code } : Object.assign(withHttp(code, { retryAfter }), { code });
  if (hint !== undefined) extensions.hint = hint;
  if (roles !== undefined) extensions.roles = roles;
  return new GraphQLError(errorCodes[code].message, {
    extensions,
    originalError: cause instanceof Error ? cause : null,
  });
}
