import { type CallOutputs, takeBranch } from '#src/automation/connectors/calls/answers.ts';
import { type Answer, contentType } from '#src/automation/http-calls/read-answer.ts';
import type { ApiCall, CallSoap } from '#src/automation/node-api/api-call.ts';
import type { NodeResult } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { readEnvelope, type SoapFault } from './read-envelope.ts';

const maxReason = 500;

/**
 * Returns the result of a SOAP call. A fault takes the branch of the described fault if that has an edge, otherwise the branch `fault`. The
 * HTTP status does not matter. Throws a NodeError for a fault without an edge, and for a success that is not an envelope.
 */
export function soapResult(
  call: ApiCall,
  soap: CallSoap,
  { answer, outputs }: { answer: Answer; outputs: CallOutputs },
  hasEdge: (branch: string) => boolean,
): NodeResult {
  const faults = call.answers.flatMap(({ fault }) => (fault ? [fault] : []));
  const { status } = answer;
  const { body } = outputs;
  const isXml = /\bxml\b/i.test(contentType(answer)) && typeof body === 'string';
  // The error page of a proxy may be XML too, so an error status needs no envelope.
  const read = isXml ? readOrUndefined(() => readEnvelope(body, soap, faults), status >= 400) : undefined;
  if (read === undefined || 'value' in read) {
    if (read === undefined && status < 300 && body !== null && body !== '')
      throw new NodeError(
        'UNREADABLE',
        `${host(answer)} answered ${status} with ${contentType(answer).slice(0, 100) || 'no content type'} instead of an envelope of SOAP.`,
        { details: outputs },
      );
    const result = { ...outputs, body: read ? read.value : body === '' ? null : body };
    return { outputs: result, branch: takeBranch(call, answer, result, hasEdge) };
  }
  const { fault, described } = read;
  const result = { ...outputs, body: fault };
  const branches = [
    ...call.answers.filter((each) => each.status === 'fault' && described !== undefined && each.fault === described),
    ...call.answers.filter((each) => each.status === 'fault' && each.fault === undefined),
  ].map(({ branch }) => branch);
  const branch = branches.find(hasEdge);
  if (branch !== undefined) return { outputs: result, branch };
  throw new NodeError('SOAP_FAULT', `${host(answer)} answered the fault ${describeFault(fault)}`, {
    // The fault may have occurred after the service did its work, and a retry would do that work twice.
    retryable: status === 425 || status === 429,
    details: result,
  });
}

// Name only the host: the path and the query may hold secrets.
const host = ({ url }: Answer): string => new URL(url).host;

const describeFault = ({ faultcode, faultstring }: SoapFault): string =>
  [faultcode, faultstring]
    .filter((text) => text !== '')
    .join(': ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, maxReason) || 'without a reason.';

function readOrUndefined<T>(read: () => T, isError: boolean): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isError && error instanceof NodeError) return undefined;
    throw error;
  }
}
