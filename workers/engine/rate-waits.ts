import type { RateLimitedError } from '#src/automation/node-api/rate-limited-error.ts';
import type { RecordedStep } from './statements/run-claims.ts';
import { record, toStepError } from './step-record.ts';
import type { Attempt, Pending, StepRun } from './types.ts';

/** How often an API may refuse a step because of its rate limit. Pauses grow to 5 minutes, so that takes more than an hour. */
const maxRefusals = 20;

const refusalCode = 'RATE_LIMITED';

/** True for a refusal. A retry policy does not count refusals, because the API has not acted on the request. */
export const isRefusal = ({ error }: RecordedStep): boolean => error?.code === refusalCode;

/**
 * Records that a step waits for the rate limit of its credential. After a refusal the attempt ends, and the next one waits. Returns
 * 'again' if that attempt is to begin, and undefined if the API has refused the step too often.
 */
export async function recordRateWait(
  step: StepRun,
  attempt: Attempt,
  { error, refusals }: { error: RateLimitedError; refusals: number },
): Promise<Pending | 'again' | undefined> {
  if (error.isRefused) {
    if (refusals >= maxRefusals) return undefined;
    await record(step, attempt, { status: 'failed', error: toStepError(step, error), wakeAt: new Date() });
    return 'again';
  }
  const waitingFor = `rate_limit:${error.credentialId}`;
  await record(step, attempt, { status: 'waiting', waitingFor, wakeAt: error.expectedAt });
  // `grant_turns` wakes the run in its turn.
  return { kind: 'pending', wakeAt: null, paths: [step.path] };
}
