import type { Database } from './database.ts';

/** How much of its ids the sequence with the least room has given, 0 to 1, of the range of this installation. */
export async function readSequenceUse({ system }: Pick<Database, 'system'>): Promise<number> {
  const { rows } = await system.query<{ used: number | null }>(
    `SELECT max((last_value - min_value)::numeric / (max_value - min_value))::float8 AS used FROM pg_sequences
     WHERE schemaname = current_schema() AND NOT cycle AND last_value IS NOT NULL`,
  );
  return rows[0]?.used ?? 0;
}
