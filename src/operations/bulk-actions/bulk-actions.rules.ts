import { rolesFor } from '#src/infra/roles.ts';

export const bulkActionKinds = [
  'retry_runs',
  'rerun_runs',
  'resume_runs',
  'cancel_runs',
  'replay_dead_letters',
  'discard_dead_letters',
  'resend_webhook_deliveries',
  'retry_failed_jobs',
] as const;
export type BulkActionKind = (typeof bulkActionKinds)[number];

/** The access that starting or continuing an action requires, and that its user must keep: that of the same action on one item. */
export const requiredAccess: Record<BulkActionKind, 'member' | 'admin' | 'operator'> = {
  retry_runs: 'member',
  rerun_runs: 'member',
  resume_runs: 'member',
  cancel_runs: 'member',
  replay_dead_letters: 'member',
  discard_dead_letters: 'member',
  resend_webhook_deliveries: 'admin',
  retry_failed_jobs: 'operator',
};

/** Whether a user with these roles may do what the action does. */
export const mayExecute = (kind: BulkActionKind, roles: readonly string[]): boolean =>
  rolesFor[requiredAccess[kind]].some((role) => roles.includes(role));

export const bulkActionStatuses = ['queued', 'running', 'completed', 'cancelled', 'stopped'] as const;
export type BulkActionStatus = (typeof bulkActionStatuses)[number];

export const hasEnded = (status: string): boolean => status !== 'queued' && status !== 'running';

/** What one action takes on. */
export const maxItems = 100_000;
/** What a dry run shows. */
export const sampleSize = 20;
/** Actions of a tenant that have not ended. */
export const maxUnfinished = 10;
/** Failures at the same batch, one after the other, before the action stops. */
export const maxAttempts = 5;
/** Seconds for which a worker holds an action without committing a batch. */
export const leaseSeconds = 10;

/** An action that starts work begins with few items, so that a fault shows before all have met it. */
const rampSizes = [10, 20, 40, 80, 160, 320];
/** One transaction with 500 runs takes 50 to 100 ms. */
const fullSize = 500;

/** The numbers of the items, from 1, with which the batches begin. */
export function batchStarts(kind: BulkActionKind): number[] {
  const starts: number[] = [];
  const sizes = startsWork(kind) ? rampSizes : [];
  for (let item = 1; item <= maxItems + 1; item += sizes[starts.length - 1] ?? fullSize) starts.push(item);
  return starts;
}

/** Whether the batch before the one at `position` was a part of the ramp. */
export const isAfterRampBatch = (position: number): boolean => position > 0 && position <= rampSizes.length;

/** How the runs that a batch started have ended so far. */
export interface BatchResult {
  items: number;
  /** Those that have not ended. */
  open: number;
  /** Those of the error group to which the most belong. */
  failedAlike: number;
  /** An example of that error; null where none failed. */
  error: string | null;
}

/** Whether most of a batch failed with the same error. */
export const failsAlike = ({ items, failedAlike }: BatchResult): boolean => failedAlike > items / 2;

/** Whether enough runs have ended to judge their batch. */
export const canJudge = ({ items, open }: BatchResult): boolean => open <= items / 2;

/** Whether the items of the action execute something that can fail again. */
export const startsWork = (kind: BulkActionKind): boolean =>
  kind === 'retry_runs' ||
  kind === 'rerun_runs' ||
  kind === 'replay_dead_letters' ||
  kind === 'resend_webhook_deliveries' ||
  kind === 'retry_failed_jobs';
