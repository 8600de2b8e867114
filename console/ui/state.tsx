import { enumWord } from '#console/words/enums.ts';

/** The five states of the console, which differ in shape as well as in hue. */
export type Tone = 'running' | 'succeeded' | 'waiting' | 'failed' | 'cancelled';

const tones: Readonly<Record<string, Tone>> = {
  RUNNING: 'running',
  BUILDING: 'running',
  PROCESSING: 'running',
  SENDING: 'running',
  UPLOADING: 'running',
  RESOLVING: 'running',
  SUCCESS: 'succeeded',
  SUCCEEDED: 'succeeded',
  COMPLETED: 'succeeded',
  DELIVERED: 'succeeded',
  SENT: 'succeeded',
  ACTIVE: 'succeeded',
  ENABLED: 'succeeded',
  PAID: 'succeeded',
  SHIPPED: 'succeeded',
  FULFILLED: 'succeeded',
  PARTIALLY_PAID: 'running',
  PARTIALLY_FULFILLED: 'running',
  VOIDED: 'cancelled',
  REFUNDED: 'cancelled',
  RETURNED: 'cancelled',
  PUBLISHED: 'succeeded',
  ACKNOWLEDGED: 'succeeded',
  REPLAYED: 'succeeded',
  READY: 'succeeded',
  RESOLVED: 'succeeded',
  INSTALLED: 'succeeded',
  OK: 'succeeded',
  DONE: 'succeeded',
  FAILED: 'failed',
  FAILING: 'failed',
  LOW: 'failed',
  ERROR: 'failed',
  REFUSED: 'failed',
  REJECTED: 'failed',
  DEAD: 'failed',
  BROKEN: 'failed',
  INVALID: 'failed',
  MIGRATION_FAILED: 'failed',
  CRITICAL: 'failed',
  CANCELLED: 'cancelled',
  CANCELED: 'cancelled',
  DISABLED: 'cancelled',
  DISCARDED: 'cancelled',
  INACTIVE: 'cancelled',
  WITHDRAWN: 'cancelled',
  REVOKED: 'cancelled',
  SKIPPED: 'cancelled',
  MUTED: 'cancelled',
  STOPPED: 'cancelled',
  UNINSTALLED: 'cancelled',
  DELETED: 'cancelled',
  NONE: 'cancelled',
  UNAVAILABLE: 'cancelled',
};

/** Anything that is not known to be one of the others waits for something. */
export const toneOf = (value: string): Tone => tones[value] ?? 'waiting';

const shapes: Readonly<Record<Tone, string>> = {
  running: 'M6 1a5 5 0 1 1-3.54 1.46l1.42 1.42A3 3 0 1 0 6 3z',
  succeeded: 'M4.6 9.6 1.2 6.2l1.5-1.5 1.9 2 4.7-4.8 1.5 1.5z',
  waiting: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1m0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  failed: 'M2.5 1 6 4.5 9.5 1 11 2.5 7.5 6 11 9.5 9.5 11 6 7.5 2.5 11 1 9.5 4.5 6 1 2.5z',
  cancelled: 'M1 5h10v2H1z',
};

/** The shape of a tone, beside words that say the same. */
export function ToneShape({ tone }: { tone: Tone }) {
  return (
    <svg className={`tone tone-${tone}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={shapes[tone]} />
    </svg>
  );
}

/** A state in words with its shape. */
export function State({ value, tone = toneOf(value) }: { value: string; tone?: Tone }) {
  if (value === '') return null;
  return (
    <span className={`state state-${tone}`}>
      <ToneShape tone={tone} />
      {enumWord(value)}
    </span>
  );
}
