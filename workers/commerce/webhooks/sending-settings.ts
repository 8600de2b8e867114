import { readSecret } from '#src/automation/secrets/secrets.reads.ts';
import { confidentialSql, openConfidential } from '#src/commerce/webhooks/destination-secrets.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { serverSql } from '#src/infra/postgres/connections/server-session.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { UnreadableError } from '#src/infra/vault/cipher.ts';
import type { QueueKey } from './sending-statements.ts';

/** The settings of a destination that its sender needs. */
export interface SendingSettings {
  orgId: string;
  url: string;
  headers: Record<string, string>;
  /** The newest first; empty if the destination is unsigned. */
  secrets: string[];
  /** Why nothing may be sent, such as a missing secret: requests are never sent unsigned instead. */
  obstacle: string | null;
  /** The problem that the destination shows at present. */
  problem: string | null;
  ratePerSecond: number | null;
  concurrency: number;
  ordered: boolean;
  isDisabled: boolean;
  /** True when its last attempt failed. */
  fails: boolean;
  /** The position up to which its new deliveries are recorded as sent, stored when the queue was claimed or later. */
  sentTo: number;
  /** The database server that `sentTo` was read from. */
  server: string;
}

const waiting = 'Deliveries wait for it.';
/** True if the problem shown for a destination is an obstacle to sending, not a failed attempt. */
export const isObstacle = (problem: string | null): boolean => problem?.endsWith(waiting) === true;

type Row = Omit<SendingSettings, 'headers' | 'secrets' | 'obstacle'> & {
  secretRef: string | null;
  overlaps: boolean;
} & Parameters<typeof openConfidential>[3];

/** The current destination; undefined if it is gone, or another sender has claimed it. */
export async function readSettingsRow(
  tx: Tx,
  { tenantId, destinationId }: QueueKey,
  owner: string,
): Promise<Row | undefined> {
  const { rows } = await tx.query<Row>({
    name: 'read-webhook-settings',
    text: `SELECT t.org_id AS "orgId", d.url, d.secret_ref AS "secretRef", d.rate_per_second AS "ratePerSecond", d.concurrency, d.ordered,
        d.status = 'disabled' AS "isDisabled", coalesce(d.previous_secret_expires_at > clock_timestamp(), false) AS overlaps,
        q.failing_since IS NOT NULL AS fails, q.problem,
        q.sent_to AS "sentTo",
        ${serverSql} AS server, ${confidentialSql.columns}
      FROM webhook_destinations d
      JOIN webhook_queues q ON q.tenant_id = d.tenant_id AND q.destination_id = d.id AND q.owner = $3
      JOIN tenants t ON t.id = d.tenant_id
      ${confidentialSql.join} WHERE d.tenant_id = $1 AND d.id = $2`,
    values: [tenantId, destinationId, owner],
  });
  return rows[0];
}

/** Decrypts the signing secrets and the custom headers. */
export async function openSettings(
  deps: Deps,
  { tenantId, destinationId }: QueueKey,
  row: Row,
): Promise<SendingSettings> {
  try {
    const { secret, previousSecret, headers = {} } = openConfidential(deps, tenantId, destinationId, row);
    const referred = row.secretRef === null ? undefined : await readSecret(deps, tenantId, row.secretRef);
    const secrets = [referred ?? secret, row.overlaps ? previousSecret : undefined].filter(
      (each) => each !== undefined,
    );
    const isMissing = row.secretRef !== null && referred === undefined;
    const obstacle = isMissing ? `The secret ${row.secretRef}, which signs, is missing. ${waiting}` : null;
    return { ...row, headers, secrets, obstacle };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    deps.log.error({ err: error, tenantId, destinationId }, 'The secret of a webhook destination cannot be opened.');
    return { ...row, headers: {}, secrets: [], obstacle: `The secret that signs cannot be read. ${waiting}` };
  }
}
