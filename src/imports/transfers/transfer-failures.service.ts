import { EgressError } from '#src/infra/egress/errors.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import { SftpError } from '#src/infra/sftp/sftp-error.ts';
import { TransferFault } from './transfer-fault.rules.ts';

const longest = 1_000;

/** The message of a failure for the people of the tenant; undefined for a bug, which is logged instead. */
export function faultSentence(error: unknown): string | undefined {
  if (error instanceof ValidationError) return Object.values(error.fields).flat().join(' ').slice(0, longest);
  const isExpected =
    error instanceof TransferFault ||
    error instanceof SftpError ||
    error instanceof EgressError ||
    error instanceof AppError;
  return isExpected ? error.message.slice(0, longest) : undefined;
}

/** Seconds before each further attempt of a run. */
const retryDelays = [30, 120];

const passing = new Set<string>(['timeout', 'disconnected', 'connect', 'dns', 'closed']);

/** True if a retry may succeed: the server was not reached, or the connection broke. */
function mayPass(error: unknown): boolean {
  if (error instanceof TransferFault) return error.mayPass;
  return (error instanceof SftpError || error instanceof EgressError) && passing.has(error.code);
}

/** Seconds until a failed run is tried again; undefined where a repeat is useless, or was tried often enough. */
export const retryAfter = (error: unknown, attempts: number): number | undefined =>
  mayPass(error) ? retryDelays[attempts] : undefined;
