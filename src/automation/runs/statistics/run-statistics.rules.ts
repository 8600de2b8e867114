export const groupings = ['workflow', 'trigger_type'] as const;
export type Grouping = (typeof groupings)[number];
