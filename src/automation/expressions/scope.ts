/** What an expression sees. Values are read, never changed; only own properties exist. */
export interface ExpressionScope {
  trigger: { payload: unknown; type: string; handle: string | null };
  /** By node id. */
  nodes: Record<string, { outputs: unknown }>;
  run: { id: number | string; started_at: string };
  /** Asked only for the keys an expression names; undefined when there is no such secret. */
  secrets: (key: string) => string | undefined | Promise<string | undefined>;
  /** Within a loop. */
  item?: unknown;
  index?: number;
}
