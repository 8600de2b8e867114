export const bulkJobStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type BulkJobStatus = (typeof bulkJobStatuses)[number];

export const hasEnded = (status: string): boolean => status !== 'queued' && status !== 'running';
