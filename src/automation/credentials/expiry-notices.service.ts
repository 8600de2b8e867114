import type { Deps } from '#src/infra/deps.ts';
import { insertEventsSql, wakeRelay } from '#src/journal/outbox/outbox.ts';
import { expiryNoticeDays } from './credentials.rules.ts';

const batch = 500;

const due = `CASE WHEN expires_at <= now() THEN 0 WHEN expires_at <= now() + $2 * interval '1 day' THEN $2::int ELSE $1::int END`;

/**
 * Publishes one batch of `credential.expiring` and `credential.expired` for all tenants and returns whether there may be
 * more. One statement publishes an event and records that it was published.
 */
export async function noticeExpiries({ database }: Deps): Promise<boolean> {
  return database.withSystem(async (tx) => {
    const { rowCount } = await tx.query(
      `WITH due AS (
       SELECT tenant_id, id, ${due} AS ahead FROM credentials
       WHERE expires_at <= now() + $1 * interval '1 day'
         AND (expiry_noticed_days IS NULL OR expiry_noticed_days > ${due})
       ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED
     ), noticed AS (
       UPDATE credentials c SET expiry_noticed_days = d.ahead FROM due d WHERE c.tenant_id = d.tenant_id AND c.id = d.id
       RETURNING c.tenant_id, c.id, c.name, c.credential_type_slug, c.expires_at
     ), events AS (
       SELECT tenant_id, CASE WHEN expires_at <= now() THEN 'credential.expired' ELSE 'credential.expiring' END AS topic,
       jsonb_build_object(
         'credential_id', id, 'name', name, 'credential_type_slug', credential_type_slug,
         'expires_at', to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'days_left', greatest(0, ceil(extract(epoch FROM expires_at - now()) / 86400))
       ) AS data, '{}'::jsonb AS metadata
       FROM noticed
     )
     ${insertEventsSql('events')}`,
      [expiryNoticeDays.first, expiryNoticeDays.second, batch],
    );
    if (rowCount) wakeRelay(tx);
    return rowCount === batch;
  });
}
