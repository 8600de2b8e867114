import { handleStreamOrSingleExecutionResult } from '@envelop/core';
import { PothosSchemaError, PothosValidationError } from '@pothos/core';
import { type ExecutionResult, GraphQLError, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Incoming } from '#src/graphql/context.ts';
import { AppError, errorCodes, NotFoundError, refusing, ValidationError } from '#src/infra/errors.ts';
import { unstorable } from '#src/infra/json.ts';
import { createCountedWarning } from '#src/infra/logs/counted-line.ts';
import { isDatabaseFull } from '#src/infra/postgres/connections/full-disk.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { findMoveRefusal, isMissingRecord, isUnstorableText } from '#src/infra/postgres/sql-errors.ts';

/**
 * Expected errors pass with their code. Anything else is a bug: logged once with the request's id, and answered as
 * `Server Error` with that id and nothing more.
 */
export function useErrorMask(): Plugin<{ incoming: Incoming }> {
  const maskResult =
    (incoming: Incoming | undefined) =>
    ({ result, setResult }: { result: ExecutionResult; setResult: (result: ExecutionResult) => void }) => {
      // Errors without data and without a path refuse the request itself: use-request-errors.ts assigns their code.
      const isRefusal = (error: GraphQLError): boolean => !('data' in result) && error.path === undefined;
      const { errors, ...answered } = result;
      if (!errors) return;
      const told = errors
        .map((error) => (isRefusal(error) ? error : mask(error, incoming)))
        .filter((error) => !isShownAsNull(error, result.data));
      setResult(told.length > 0 ? { ...answered, errors: told } : answered);
    };
  return {
    onPluginInit({ registerContextErrorHandler }) {
      registerContextErrorHandler(({ error, context, setError }) => {
        // Nothing has run, so the HTTP status can report the error: a bad token is not a server error.
        setError(refusing(mask(error, (context as { incoming?: Incoming }).incoming)));
      });
    },
    onExecute: ({ args }) => ({
      onExecuteDone: (done) =>
        handleStreamOrSingleExecutionResult(done as never, maskResult(args.contextValue.incoming) as never),
    }),
    onSubscribe: ({ args }) => ({
      onSubscribeResult: (done) =>
        handleStreamOrSingleExecutionResult(done as never, maskResult(args.contextValue.incoming) as never),
      onSubscribeError: ({ error, setError }) => setError(mask(error, args.contextValue.incoming)),
    }),
  };
}

/**
 * True if a field that returns null for a missing object did not find its object: an id that is malformed, of another type or of another
 * tenant then gives the same result.
 */
function isShownAsNull({ extensions, path = [] }: GraphQLError, data: unknown): boolean {
  if (extensions['code'] !== 'NOT_FOUND' || path.length === 0) return false;
  return path.reduce((at, key) => (at as Record<string | number, unknown> | null | undefined)?.[key], data) === null;
}

/** Seconds. A move refuses writes for less than a minute, and callers should not have to wait much longer than it. */
const moveRetryAfter = 5;
const databaseFull = 'The disk of the database is full. Free space, or tell the operator, and then try again.';
const warnOfOutage = createCountedWarning('The database is away; requests were refused.');

export function mask(error: unknown, incoming: Pick<Incoming, 'log' | 'requestId'> | undefined): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  const thrown = innermost(error);
  const fault = expected(thrown);
  if (fault instanceof GraphQLError && (fault.extensions['code'] !== undefined || !located?.path)) {
    return located ?? fault;
  }
  const place = located && { nodes: located.nodes, path: located.path };
  if (fault instanceof AppError) {
    const fields = fault instanceof ValidationError ? { fields: fault.fields } : {};
    const { code, message } = fault;
    const retry = code === 'UNAVAILABLE' ? { retryAfter: 1 } : {};
    return new GraphQLError(message, { ...place, extensions: { code, ...retry, ...fields } });
  }
  const moving = findMoveRefusal(fault);
  if (moving !== undefined)
    return new GraphQLError(moving, { ...place, extensions: { code: 'UNAVAILABLE', retryAfter: moveRetryAfter } });
  // An unreachable database is not a bug: the caller may retry.
  const isAway = isOutage(fault);
  if (isAway && incoming) warnOfOutage(incoming.log, fault);
  else incoming?.log.error({ err: fault, requestId: incoming.requestId, path: located?.path }, 'unexpected error');
  const code = isAway ? 'UNAVAILABLE' : 'INTERNAL';
  return new GraphQLError(isDatabaseFull(fault) ? databaseFull : errorCodes[code].message, {
    ...place,
    extensions: { code, ...(isAway && { retryAfter: 1 }), ...(incoming && { requestId: incoming.requestId }) },
  });
}

/** Converts expected errors of libraries to our own. */
function expected(thrown: unknown): unknown {
  if (isUnstorableText(thrown)) return new ValidationError({ body: [unstorable] });
  // An id that cannot be read, or whose type or object does not exist. Pothos has one class for all faults of types,
  // without a code, so this one is recognised by its text.
  const isNoType = thrown instanceof PothosSchemaError && thrown.message.endsWith('has not been implemented');
  if (thrown instanceof PothosValidationError || isNoType || isMissingRecord(thrown)) return new NotFoundError();
  // A null variable for a non-null argument: graphql-js notices it only during execution, and blames the variable.
  if (thrown instanceof GraphQLError && thrown.nodes?.[0]?.kind === Kind.VARIABLE)
    return new AppError('BAD_REQUEST', thrown.message);
  return thrown;
}

/** The error that was thrown, without the GraphQLErrors that add a location; a GraphQLError if one was thrown. */
function innermost(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error;
  // An access error keeps its cause for the log, but is itself the error to report.
  if (error.extensions['code'] !== undefined || !error.originalError) return error;
  return innermost(error.originalError);
}
