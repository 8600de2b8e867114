/** The kinds of failure of an outbound request. Codes are stable; messages name only the host, the port and figures. */
export type EgressErrorCode =
  | 'invalid_request'
  | 'refused_protocol'
  | 'refused_port'
  | 'refused_address'
  | 'refused_redirect'
  | 'too_many_redirects'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'disconnected'
  | 'protocol'
  | 'timeout'
  | 'too_large'
  | 'aborted'
  | 'closed';

/** The codes of requests that are always refused, so that a retry is useless. */
export const refusedCalls: ReadonlySet<EgressErrorCode> = new Set([
  'invalid_request',
  'refused_protocol',
  'refused_port',
  'refused_address',
]);

/**
 * An outbound request that was refused or failed. `message` is safe to show to a tenant: it never contains a path, a query,
 * a header, or a resolved address. `cause` may, and is meant for the operator's log.
 */
export class EgressError extends Error {
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'EgressError';
    this.code = code;
  }
}

const connectCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'EINVAL',
]);
const disconnectCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'UND_ERR_INFO']);
const closedCodes = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);
const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO$|ERR_OSSL)/;

/** The code of a system or undici error; for an AggregateError (one failure per address tried), the code of its first. */
const findCode = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return findCode(error.errors[0]);
  return '';
};

/** Converts an error of a socket or parser to an EgressError. `where` is the `host:port` that its message names. */
export const toEgressError = (cause: unknown, where: string): EgressError => {
  if (cause instanceof EgressError) return cause;
  const code = findCode(cause);
  const fail = (as: EgressErrorCode, message: string): EgressError => new EgressError(as, message, { cause });
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return fail('timeout', `Connecting to ${where} took too long.`);
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return fail('too_large', `The response headers of ${where} are too large.`);
  }
  if (code === 'UND_ERR_INVALID_ARG') return fail('invalid_request', 'The request holds an invalid header or body.');
  if (closedCodes.has(code)) return fail('closed', 'The process is shutting down; no more requests are sent.');
  if (code === 'UND_ERR_MAX_ORIGINS_REACHED')
    return fail('connect', 'Too many hosts are being called at once; try again later.');
  if (tlsCode.test(code)) return fail('tls', `The TLS connection to ${where} failed: ${code}.`);
  if (disconnectCodes.has(code))
    return fail('disconnected', `${where} closed the connection before the response was complete.`);
  if (connectCodes.has(code)) return fail('connect', `${where} could not be reached: ${code}.`);
  return fail('protocol', `${where} did not answer with valid HTTP.`);
};
