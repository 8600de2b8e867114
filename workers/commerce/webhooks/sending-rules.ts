import type { DeliveryStatus } from '#src/commerce/webhooks/deliveries.inputs.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay before each attempt, the first included. */
export const delaysMs = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;
const longestDelayMs = 24 * hour;
/** A delay is up to a fifth shorter or longer, so that deliveries which failed together are not all sent again together. */
const jitter = 0.2;

/** A delivery as it is claimed for its next attempt. */
export interface Attemptable {
  tries: number;
  /** Attempts before the present schedule of delays began. */
  triesBefore: number;
  /** True when no attempt follows a failed one. */
  once: boolean;
}

/** The outcome of an attempt; without `httpCode` if nobody answered. */
export interface Answered {
  httpCode: number | null;
  retryAfterMs?: number;
}

export interface Verdict {
  isDelivered: boolean;
  status: DeliveryStatus;
  /** Until the next attempt; null if none follows. */
  delayMs: number | null;
}

export const isSuccess = (httpCode: number | null): boolean => httpCode !== null && httpCode >= 200 && httpCode < 300;
/** The receiver is gone for good: its destination is disabled. */
export const isGone = (httpCode: number | null): boolean => httpCode === 410;

/** Decides what follows an attempt. An ordered destination gives up no delivery, because all later ones wait for it. */
export function judge(
  { tries, triesBefore, once }: Attemptable,
  { httpCode, retryAfterMs = 0 }: Answered,
  { ordered, random = Math.random }: { ordered: boolean; random?: () => number },
): Verdict {
  if (isSuccess(httpCode)) return { isDelivered: true, status: 'delivered', delayMs: null };
  if (isGone(httpCode)) return { isDelivered: false, status: 'held', delayMs: null };
  const delay = delaysMs[tries + 1 - triesBefore] ?? (ordered ? longestDelayMs : undefined);
  if (once || delay === undefined) return { isDelivered: false, status: 'failed', delayMs: null };
  const spread = delay * (1 + jitter * (2 * random() - 1));
  return { isDelivered: false, status: 'pending', delayMs: Math.round(Math.max(spread, retryAfterMs)) };
}

/** How long a 429 or 503 asks to wait, in seconds or until a date; at most a day. */
export function readRetryAfter(httpCode: number, header: string | undefined, now: number): number {
  if ((httpCode !== 429 && httpCode !== 503) || header === undefined) return 0;
  const text = header.trim();
  const wait = /^\d{1,12}$/.test(text) ? Number(text) * second : Date.parse(text) - now;
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), longestDelayMs);
}
