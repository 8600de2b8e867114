export const errorGroupStatuses = ['open', 'muted', 'resolved'] as const;
export type ErrorGroupStatus = (typeof errorGroupStatuses)[number];

/** Items of one group that are counted. A bulk action takes as many. */
export const maxCounted = 100_000;
/** Workflows that a group shows. */
export const shownWorkflows = 20;
