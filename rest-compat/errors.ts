import { GraphQLError } from 'graphql';
import {
  AppError,
  type ErrorCode,
  errorCodes,
  type FieldErrors,
  isRefusedToken,
  ValidationError,
} from '#src/infra/errors.ts';
import { snakeCase } from './snake-case.ts';

/** A response that refuses a request; its API builds the body. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  message: string;
  /** Messages per field, as REST names fields. */
  fields?: FieldErrors;
  /** The missing part of the request, and what to send instead. */
  hint?: string;
  /** Seconds. */
  retryAfter?: number;
  /** Credentials were sent, and are invalid. */
  refusedToken?: true;
  /** The complete body, if the route defines it instead of the API. */
  body?: Pick<Failure, 'logs'> & { error: unknown };
}

/** An error member of a mutation's union, as the fragment `Failure` selects it. */
export interface Failure {
  failure: string;
  message: string;
  invalid?: { path: string; messages: string[] }[];
  /** A node that failed in its own code reports its own error. */
  thrown?: { message: string; code: string };
  logs?: unknown[];
}

/** A 422 for parts that REST itself has parsed, whose fields have the names that were sent. */
export class RequestError extends ValidationError {}

/** For the document of every mutation. */
export const failureFragment =
  'fragment Failure on Error { failure: code message ... on ValidationError { invalid: fields { path messages } } }';

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code);

function refuse(code: unknown, message: string, fields?: FieldErrors): Refusal {
  // A code that is not in the table is a bug, so its message is not shown.
  if (!isCode(code) || code === 'INTERNAL') return serverError;
  const { status } = errorCodes[code];
  const more = {
    ...(fields && { fields: snakeCaseFields(fields) }),
    // An unavailable dependency may be back in a moment.
    ...(code === 'UNAVAILABLE' && { retryAfter: 1 }),
  };
  return { status, code, message, ...more };
}

/** A refusal with the standard message of its code. */
export const plainRefusal = (code: ErrorCode): Refusal => ({ ...errorCodes[code], code });

export const serverError = plainRefusal('INTERNAL');

export const refusalOfFailure = ({ failure, message, invalid, thrown, logs }: Failure): Refusal =>
  thrown
    ? { ...plainRefusal('UNPROCESSABLE'), message: thrown.message, body: { error: thrown, logs } }
    : refuse(failure, message, invalid && Object.fromEntries(invalid.map(({ path, messages }) => [path, messages])));

/** Undefined for an unexpected error: log it, and respond with `serverError`. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof RequestError) return { ...plainRefusal(error.code), fields: error.fields };
  if (error instanceof ValidationError) return refuse(error.code, error.message, error.fields);
  if (error instanceof AppError) return refuse(error.code, error.message);
  if (error instanceof GraphQLError) return refusalOfGraphQL(error);
  return refusalOfTransport(error);
}

function refusalOfGraphQL(error: GraphQLError): Refusal | undefined {
  const { code, fields, retryAfter, hint } = error.extensions as {
    code?: unknown;
    hint?: string;
    fields?: FieldErrors;
    retryAfter?: number;
  };
  // Refused before it was executed, and the document is ours: the variables violate a limit that only the graph knows. graphql-js names the
  // field only in the text.
  if (code === 'BAD_REQUEST' && error.path === undefined) {
    const [, field = 'body', told] = /^.* at "(?:input\.)?([\w.]+)"; (.+)$/s.exec(error.message) ?? [];
    const reason = told ?? error.message.slice(error.message.lastIndexOf('; ') + 1).trim();
    return refuse('VALIDATION_FAILED', errorCodes.VALIDATION_FAILED.message, { [field]: [reason] });
  }
  if (code === undefined) return undefined;
  const refusal = { ...refuse(code, error.message, fields), ...(hint !== undefined && { hint }) };
  if (isRefusedToken(error)) return { ...refusal, refusedToken: true };
  return retryAfter === undefined ? refusal : { ...refusal, retryAfter };
}

/** Refusals by the HTTP server itself: a body that is too large, an invalid header or length. */
function refusalOfTransport(error: unknown): Refusal | undefined {
  const status = (error as { statusCode?: unknown } | undefined)?.statusCode;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return status === 413 ? plainRefusal('PAYLOAD_TOO_LARGE') : { ...plainRefusal('BAD_REQUEST'), status };
}

/** Services name fields as the graph does; REST converts the first segment of a path to snake case and keeps the rest. */
export function snakeCaseFields(fields: FieldErrors): FieldErrors {
  const renamed = Object.entries(fields).map(([path, messages]) => {
    const [head = '', ...rest] = path.split('.');
    const renamed = [snakeCase(head), ...rest].join('.');
    return [
      renamed,
      messages.map((message) => message.replace(`The field ${path} `, `The field ${renamed} `)),
    ] as const;
  });
  return Object.fromEntries(renamed);
}
