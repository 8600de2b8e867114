export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];

export const stepStatuses = ['running', 'succeeded', 'failed', 'skipped', 'waiting'] as const;
export type StepStatus = (typeof stepStatuses)[number];

const terminal: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export const isTerminal = (status: string): boolean => terminal.includes(status);

/** A failed run may be retried; no other terminal status can change. */
export const canRetry = (status: string): boolean => status === 'failed';
