import type { Database } from '#src/infra/postgres/database.ts';
import type { OutputSample } from './output-schemas.rules.ts';

export const sampleLimits = {
  /** The newest runs of the tenant that are looked at, and the steps of each. */
  runs: 200,
  steps: 200,
  /** Outputs of one node, and the most bytes of each as they are stored. */
  samples: 20,
  bytes: 16 * 1024,
} as const;

export const versionKey = (slug: string, version: string): string => `${slug}@${version}`;

/**
 * The newest stored outputs of each node by `slug@version`, among the first steps of the tenant's newest runs: steps have no index by
 * node, because every step would pay for it.
 */
export async function readOutputSamples(
  database: Database,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, OutputSample[]>> {
  const rows = await database.tenantQuery<{ key: string; branch: string; outputs: unknown }>(tenantId, {
    name: 'output-samples',
    text: `SELECT key, branch, outputs FROM (
          SELECT asked.key, coalesce(s.branch, 'default') AS branch, s.outputs,
            row_number() OVER (PARTITION BY s.node, s.node_version ORDER BY s.run_id DESC) AS place
          FROM (SELECT id FROM runs WHERE tenant_id = $1 ORDER BY id DESC LIMIT $3) AS r
          CROSS JOIN LATERAL (
            SELECT * FROM steps WHERE tenant_id = $1 AND run_id = r.id ORDER BY path LIMIT $4
          ) AS s
          JOIN unnest($2::text[]) AS asked (key) ON asked.key = s.node || '@' || s.node_version
          WHERE s.status = 'succeeded' AND s.outputs IS NOT NULL AND s.origin IS NULL AND pg_column_size(s.outputs) <= $5
        ) AS found WHERE place <= $6`,
    values: [tenantId, keys, sampleLimits.runs, sampleLimits.steps, sampleLimits.bytes, sampleLimits.samples],
  });
  return Map.groupBy(rows, ({ key }) => key);
}
