export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];

export const stepStatuses = ['running', 'succeeded', 'failed', 'skipped', 'waiting'] as const;
export type StepStatus = (typeof stepStatuses)[number];

const terminal: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export const isTerminal = (status: string): boolean => terminal.includes(status);

/** An operator may resume what failed; nothing else leaves a terminal status. */
export const canRetry = (status: string): boolean => status === 'failed';
