const ended = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

/** Whether nothing more happens in a run by itself. A retry starts a failed one again. */
export const hasEnded = ({ status }: { status: string }): boolean => ended.has(status);
