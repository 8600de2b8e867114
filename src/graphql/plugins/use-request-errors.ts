import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Incoming } from '#src/graphql/context.ts';
import { badDocument, badRequest } from '#src/infra/errors.ts';
import { mask } from './use-error-mask.ts';

/**
 * Gives all refusals before execution (syntax, validation, variables, a malformed request) one code. With
 * `suggestions`, graphql-js may suggest names in its messages, which reveals names of the schema.
 */
export function useRequestErrors({ suggestions }: { suggestions: boolean }): Plugin<object, { incoming: Incoming }> {
  const refused = (error: GraphQLError): GraphQLError => {
    const told = withoutExpectedType(error.message);
    const message = suggestions ? told : withoutSuggestion(told);
    const isKnown = typeof error.extensions['code'] === 'string' && error.message === message;
    return isKnown ? error : badDocument(message, error.nodes);
  };
  const refusedResult = ({ errors }: Refused): ExecutionResult => ({
    errors: errors.map((error) => (error.path ? error : refused(error))),
  });
  return {
    onParse:
      () =>
      ({ result, replaceParseResult }) => {
        if (result instanceof GraphQLError) replaceParseResult(refused(result));
      },
    onValidate:
      () =>
      ({ valid, result, setResult }) => {
        if (!valid) setResult(result.map((error) => refused(error as GraphQLError)));
      },
    onExecute: () => ({
      onExecuteDone: ({ result, setResult }) => {
        if (isRefused(result)) setResult(refusedResult(result));
      },
    }),
    onSubscribe: () => ({
      onSubscribeResult: ({ result, setResult }) => {
        if (isRefused(result)) setResult(refusedResult(result));
      },
    }),
    onResultProcess(done) {
      const { result } = done;
      const settled = (each: typeof result): typeof result =>
        isRefused(each)
          ? { ...each, errors: each.errors.map((error) => ofYoga(error, done.serverContext.incoming)) }
          : each;
      done.setResult(Array.isArray(result) ? (result.map(settled) as never) : settled(result));
    },
  };
}

type Refused = Required<Pick<ExecutionResult, 'errors'>>;

/** Only a result without data was refused as a whole; an error in the data has a path, and has its code from the mask. */
const isRefused = (result: unknown): result is Refused =>
  typeof result === 'object' && result !== null && 'errors' in result && !('data' in result);

/** graphql-js ends its messages with them: ` Did you mean "name"?` */
const withoutSuggestion = (message: string): string => message.replaceAll(/ Did you mean [^?]*\?/g, '');

/** graphql-js puts the name of a scalar before the sentence with which the scalar refuses a value. */
const withoutExpectedType = (message: string): string => message.replace(/Expected type "\w+"\. (?=[A-Z])/, '');

/** The codes with which Yoga refuses a request or its document. */
const requestCodes = ['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE'];
const documentCodes = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];

/** Our errors hide their status from the serialiser; Yoga's do not. */
const isOurs = ({ extensions }: GraphQLError): boolean =>
  'http' in extensions && !Object.keys(extensions).includes('http');

/** Yoga sets its own status and details for some refusals and none for others, and does not mask bugs. */
function ofYoga(error: GraphQLError, incoming: Incoming): GraphQLError {
  const { code, http } = error.extensions as { code?: string; http?: { status?: number } };
  // Yoga parses variables and extensions of a query string or form without catching errors.
  if (error.originalError instanceof SyntaxError) return badRequest('The variables and extensions must be JSON.');
  if (code === undefined && http?.status === 403) {
    return new GraphQLError(error.message, { extensions: { code: 'FORBIDDEN', http } });
  }
  if (http?.status === 405) {
    return new GraphQLError(error.message, { extensions: { code: 'METHOD_NOT_ALLOWED', http } });
  }
  if (code === undefined || code === 'INTERNAL_SERVER_ERROR')
    return http ? badRequest(error.message) : mask(error, incoming);
  if ((http?.status ?? 400) !== 400 || isOurs(error)) return error;
  if (documentCodes.includes(code)) return badDocument(error.message, error.nodes);
  return requestCodes.includes(code) ? badRequest(error.message, error.nodes) : error;
}
