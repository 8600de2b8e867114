import type { Database } from '#src/infra/postgres/database.ts';
import { breakerMs } from './islands.rules.ts';

/** After this long without an opening, the next one begins anew. */
const pauseMs = 10 * 60_000;

/** Records that an extension is not called in a tenant for `breakerMs`. */
export async function recordOpening(
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  extensionId: number,
): Promise<void> {
  await database.tenantQuery(tenantId, {
    name: 'record-extension-breaker',
    text: `INSERT INTO extension_breakers AS known (tenant_id, extension_id, opened_at, open_until, openings)
      VALUES ($1, $2, now(), now() + $3 * interval '1 ms', 1)
      ON CONFLICT (tenant_id, extension_id) DO UPDATE SET open_until = excluded.open_until,
        opened_at = CASE WHEN known.open_until < now() - $4 * interval '1 ms' THEN excluded.opened_at ELSE known.opened_at END,
        openings = CASE WHEN known.open_until < now() - $4 * interval '1 ms' THEN 1 ELSE known.openings + 1 END`,
    values: [tenantId, extensionId, breakerMs, pauseMs],
  });
}
