import type { Learning } from './derived-values.ts';

/** The values that an expression sees. They are read but never changed; only own properties exist. */
export interface ExpressionScope {
  trigger: { payload: unknown; type: string; handle: string | null };
  /** By node id. */
  nodes: Record<string, { outputs: unknown }>;
  run: { id: number | string; started_at: string };
  /** Called only for the keys that an expression names; undefined when there is no such secret. */
  secrets: (key: string) => string | undefined | Promise<string | undefined>;
  /** Receives values that an expression derives from secrets: those that it names, and those in its item. */
  known?: Learning;
  /** Inside a loop. */
  item?: unknown;
  index?: number;
  /** In the filter of a webhook destination: the event's envelope. */
  event?: unknown;
}
