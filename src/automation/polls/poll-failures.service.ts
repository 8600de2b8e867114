import { NodeError } from '#src/automation/node-api/node-error.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import { pause } from '#src/infra/timing/timers.ts';
import type { Sweep } from './sweep.rules.ts';

const longestSentence = 1_000;

/** The message of a failure that users of the tenant may see; undefined for a bug, which is logged instead. */
export function faultSentence(error: unknown): string | undefined {
  if (error instanceof ValidationError) return Object.values(error.fields).flat().join(' ').slice(0, longestSentence);
  const isExpected = error instanceof NodeError || error instanceof AppError;
  return isExpected ? error.message.slice(0, longestSentence) : undefined;
}

/** The longest pause during which a worker keeps the poll. For a longer one, the poll fails and continues later. */
const longestPauseSeconds = 15;
const longestRetrySeconds = 86_400;

/** The seconds that an API asks to wait for, up to a day; undefined if it names none. */
export function readRetryAfter(error: unknown, now: number): number | undefined {
  const headers = error instanceof NodeError ? error.details?.['headers'] : undefined;
  const given = (headers as Record<string, unknown> | undefined)?.['retry-after'];
  if (typeof given !== 'string') return undefined;
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - now) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), longestRetrySeconds) : undefined;
}

const mayPass = (error: unknown): boolean => error instanceof NodeError && error.retryable;

/** Reads a page, and reads it again after temporary failures, once after each of the pauses. */
export async function readRepeatedly<T>(
  read: () => Promise<T>,
  { pausesMs, signal }: { pausesMs: readonly number[]; signal: AbortSignal },
): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await read();
    } catch (error) {
      const asked = readRetryAfter(error, Date.now());
      if (!mayPass(error) || signal.aborted || (asked ?? 0) > longestPauseSeconds) throw error;
      await pause(Math.max(pauseMs, (asked ?? 0) * 1_000), signal);
    }
  }
  return read();
}

const firstRetrySeconds = 60;
const lastRetrySeconds = 900;

/** Seconds until a failed poll continues; undefined if it has to wait for its next time or for a change of the trigger. */
export function retryAfter(error: unknown, failures: number): number | undefined {
  if (!mayPass(error)) return undefined;
  const ownPace = Math.min(firstRetrySeconds * 2 ** Math.min(failures, 10), lastRetrySeconds);
  return Math.max(ownPace, readRetryAfter(error, Date.now()) ?? 0);
}

/**
 * True if the sweep has to begin again, because its place in the list is no longer valid or paging went in a circle. Records that it has
 * already fired are not fired again.
 */
export function isPlaceLost(error: unknown, sweep: Sweep | null): boolean {
  if (!(error instanceof NodeError)) return false;
  if (error.code === 'PAGING_LOOP' || error.code === 'POLL_MOVING') return true;
  return error.code === 'HTTP_STATUS' && !error.retryable && sweep !== null && sweep.place !== null;
}
