import type { Tx } from '#src/infra/postgres/tx.ts';
import { joinDataKey, sealedColumns, type SealedRow } from '#src/infra/vault/vault.ts';
import type { AlertKind, alertMessageStatuses } from './alert-recipients.inputs.ts';
import type { AlertContent, AlertItem } from './alerts.rules.ts';

/** A recipient by its key. */
export interface RecipientKey {
  tenantId: string;
  recipientId: number;
}

const isDue = (at: string): string => `a.count > 0 AND a.due_at <= ${at}::timestamptz`;

/** True of a recipient `r` that has sent fewer messages than it may within the hour before $1, and has none that waits. */
const maySend = `r.active
  AND NOT EXISTS (
    SELECT FROM alert_messages m
    WHERE m.tenant_id = r.tenant_id AND m.recipient_id = r.id AND m.status IN ('pending', 'sending') AND NOT m.is_test
  ) AND (
    SELECT count(*) FROM (
      SELECT sent_at FROM alert_messages m
      WHERE m.tenant_id = r.tenant_id AND m.recipient_id = r.id AND m.sent_at IS NOT NULL AND NOT m.is_test
      ORDER BY m.id DESC LIMIT r.hourly_limit
    ) AS last WHERE last.sent_at > $1::timestamptz - interval '1 hour'
  ) < r.hourly_limit`;

/** Recipients who have news waiting and may be sent a message now. */
export async function findDueRecipients(tx: Pick<Tx, 'query'>, at: Date, most: number): Promise<RecipientKey[]> {
  const { rows } = await tx.query<RecipientKey>({
    name: 'find-due-alert-recipients',
    text: `SELECT r.tenant_id AS "tenantId", r.id AS "recipientId" FROM alert_recipients r
      WHERE EXISTS (SELECT FROM alerts a WHERE a.tenant_id = r.tenant_id AND a.recipient_id = r.id AND ${isDue('$1')}) AND ${maySend}
      ORDER BY r.tenant_id, r.id LIMIT $2`,
    values: [at, most],
  });
  return rows;
}

/** Locks a recipient that may be sent a message now; false if it may not, or another process has it. */
export async function lockDueRecipient(tx: Tx, at: Date, { tenantId, recipientId }: RecipientKey): Promise<boolean> {
  const key = [tenantId, recipientId];
  const locked = await tx.query(
    'SELECT FROM alert_recipients WHERE tenant_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED',
    key,
  );
  if (locked.rowCount === 0) return false;
  // Read in a separate statement after the lock, so that a message which another process has just made is seen.
  const { rowCount } = await tx.query({
    name: 'alert-recipient-may-send',
    text: `SELECT FROM alert_recipients r WHERE r.tenant_id = $2 AND r.id = $3 AND ${maySend}`,
    values: [at, ...key],
  });
  return rowCount === 1;
}

/** A due alert with the names of what it is about. */
interface DueAlert extends Omit<AlertItem, 'firstAt' | 'lastAt'> {
  firstAt: Date;
  lastAt: Date;
  /** When the alert was last put into a message; null if never. */
  takenAt: Date | null;
  /** True where its cause has been dealt with: the error group was resolved or muted, or no dead letter of it is left. */
  isSettled: boolean;
}

const takenAtOnce = 5_000;

/** Takes the due alerts of a recipient, which then count from zero, and are quiet for a while unless they are settled. */
export async function takeDueAlerts(tx: Tx, at: Date, { tenantId, recipientId }: RecipientKey): Promise<DueAlert[]> {
  const { rows } = await tx.query<DueAlert>({
    name: 'take-due-alerts',
    text: `SELECT a.key, a.kind, a.subject_id AS "subjectId", a.error_group_id AS "errorGroupId", a.count, a.first_at AS "firstAt",
        a.last_at AS "lastAt", a.taken_at AS "takenAt",
        coalesce(CASE WHEN a.kind IN ('failed_runs', 'dead_letters') THEN (
            SELECT w.name FROM workflows w WHERE w.tenant_id = a.tenant_id AND w.id = a.subject_id
          ) WHEN a.kind = 'disabled_destinations' THEN (
            SELECT d.name FROM webhook_destinations d WHERE d.tenant_id = a.tenant_id AND d.id = a.subject_id
          ) WHEN a.kind = 'failing_polls' THEN (
            SELECT t.name FROM triggers t WHERE t.tenant_id = a.tenant_id AND t.id = a.subject_id
          ) ELSE (
            SELECT c.name FROM credentials c WHERE c.tenant_id = a.tenant_id AND c.id = a.subject_id
          ) END, '') AS title,
        CASE WHEN a.kind IN ('failed_runs', 'dead_letters') THEN concat_ws(': ', g.node, nullif(g.message, ''))
          WHEN a.kind = 'disabled_destinations' THEN (
            SELECT d.disabled_reason FROM webhook_destinations d WHERE d.tenant_id = a.tenant_id AND d.id = a.subject_id
          ) WHEN a.kind = 'expiring_credentials' THEN (
            SELECT concat_ws(' ', split_part(a.key, '/', 3), to_char(c.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
            FROM credentials c WHERE c.tenant_id = a.tenant_id AND c.id = a.subject_id
          ) END AS message,
        coalesce(g.status = 'resolved' OR g.status = 'muted' AND (g.muted_until IS NULL OR g.muted_until > $3::timestamptz), false)
          OR a.kind = 'dead_letters' AND NOT EXISTS (
            SELECT FROM dead_letters d WHERE d.tenant_id = a.tenant_id AND d.error_group_id = a.error_group_id AND d.status = 'pending'
              AND d.workflow_id = a.subject_id
          ) AS "isSettled"
      FROM alerts a LEFT JOIN error_groups g ON g.tenant_id = a.tenant_id AND g.id = a.error_group_id
      WHERE a.tenant_id = $1 AND a.recipient_id = $2 AND ${isDue('$3')}
      ORDER BY a.key LIMIT ${takenAtOnce} FOR UPDATE OF a`,
    values: [tenantId, recipientId, at],
  });
  if (rows.length === 0) return rows;
  await tx.query({
    name: 'reset-taken-alerts',
    text: `UPDATE alerts a SET count = 0, taken_at = CASE WHEN t.is_settled THEN a.taken_at ELSE $3::timestamptz END,
        quiet_until = CASE WHEN t.is_settled THEN a.quiet_until ELSE $3::timestamptz + r.group_minutes * interval '1 minute' END
      FROM unnest($4::text[], $5::boolean[]) AS t(key, is_settled), alert_recipients r
      WHERE a.tenant_id = $1 AND a.recipient_id = $2 AND a.key = t.key AND r.tenant_id = $1 AND r.id = $2`,
    values: [tenantId, recipientId, at, rows.map(({ key }) => key), rows.map(({ isSettled }) => isSettled)],
  });
  return rows;
}

/** Stores a message, and returns its id. */
export async function insertMessage(
  tx: Tx,
  { tenantId, recipientId }: RecipientKey,
  { content, isTest, at }: { content: AlertContent; isTest: boolean; at: Date },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>({
    name: 'insert-alert-message',
    text: 'INSERT INTO alert_messages (tenant_id, recipient_id, content, is_test, created_at) VALUES ($1, $2, $3::jsonb, $4, $5) RETURNING id',
    values: [tenantId, recipientId, JSON.stringify(content), isTest, at],
  });
  return (rows[0] as { id: number }).id;
}

/** The encrypted secret of a recipient, with its data key. */
export type SealedSecret = Omit<SealedRow, 'bytes' | 'keyVersion'> & {
  bytes: Uint8Array | null;
  keyVersion: number | null;
};

/** A message with its recipient and tenant as they are now. */
export interface LockedMessage extends RecipientKey, SealedSecret {
  id: number;
  status: (typeof alertMessageStatuses)[number];
  isTest: boolean;
  eventId: string;
  content: AlertContent;
  attempts: number;
  createdAt: Date;
  tenantName: string;
  recipientName: string;
  active: boolean;
  kinds: AlertKind[];
  addresses: string[];
  url: string | null;
}

/** Locks a message and its recipient; undefined if it has been deleted. */
export async function lockMessage(tx: Tx, tenantId: string, id: number): Promise<LockedMessage | undefined> {
  // The recipient first, as everything else does.
  await tx.query(
    `SELECT FROM alert_recipients WHERE tenant_id = $1 AND id = (SELECT recipient_id FROM alert_messages WHERE tenant_id = $1 AND id = $2)
     FOR UPDATE`,
    [tenantId, id],
  );
  const { rows } = await tx.query<LockedMessage>({
    name: 'lock-alert-message',
    text: `SELECT m.tenant_id AS "tenantId", m.recipient_id AS "recipientId", m.id, m.status, m.is_test AS "isTest", m.event_id AS "eventId",
        m.content, m.attempts, m.created_at AS "createdAt", t.name AS "tenantName", r.name AS "recipientName", r.active, r.kinds, r.addresses, r.url, ${sealedColumns('r', 'sealed')}
      FROM alert_messages m JOIN alert_recipients r ON r.tenant_id = m.tenant_id AND r.id = m.recipient_id
      JOIN tenants t ON t.id = m.tenant_id ${joinDataKey('secrets', 'r')}
      WHERE m.tenant_id = $1 AND m.id = $2 FOR UPDATE OF m`,
    values: [tenantId, id],
  });
  return rows[0];
}

/** Deletes a message whose recipient is not told any more. */
export async function deleteMessage(tx: Tx, tenantId: string, id: number): Promise<void> {
  await tx.query('DELETE FROM alert_messages WHERE tenant_id = $1 AND id = $2', [tenantId, id]);
}

/** Records that an attempt begins. A changed content gets another event id. */
export async function beginAttempt(
  tx: Tx,
  { tenantId, id }: Pick<LockedMessage, 'tenantId' | 'id'>,
  changed: AlertContent | undefined,
): Promise<string> {
  const { rows } = await tx.query<{ eventId: string }>({
    name: 'begin-alert-attempt',
    text: `UPDATE alert_messages SET status = 'sending', attempts = attempts + 1, content = coalesce($3::jsonb, content),
        event_id = CASE WHEN $3::jsonb IS NULL THEN event_id ELSE gen_random_uuid() END
      WHERE tenant_id = $1 AND id = $2 RETURNING event_id AS "eventId"`,
    values: [tenantId, id, changed && JSON.stringify(changed)],
  });
  return (rows[0] as { eventId: string }).eventId;
}

/** Records the outcome of an attempt. */
export async function endAttempt(
  tx: Tx,
  { tenantId, id }: Pick<LockedMessage, 'tenantId' | 'id'>,
  { status, error, at }: { status: LockedMessage['status']; error: string | null; at: Date },
): Promise<void> {
  await tx.query({
    name: 'end-alert-attempt',
    text: `UPDATE alert_messages SET status = $3, error = left($4, 1000), sent_at = CASE $3 WHEN 'sent' THEN $5::timestamptz END
      WHERE tenant_id = $1 AND id = $2`,
    values: [tenantId, id, status, error, at],
  });
}

/** How many test messages a recipient was sent within the hour before. */
export async function countTests(tx: Tx, { tenantId, recipientId }: RecipientKey, at: Date): Promise<number> {
  const { rows } = await tx.query<{ tests: number }>(
    `SELECT count(*)::int AS tests FROM alert_messages
     WHERE tenant_id = $1 AND recipient_id = $2 AND is_test AND created_at > $3::timestamptz - interval '1 hour'`,
    [tenantId, recipientId, at],
  );
  return rows[0]?.tests ?? 0;
}

/** Drops what waits for a recipient: alerts of kinds that it no longer gets, and unsent messages of a recipient that is switched off. */
export async function dropWaiting(
  tx: Tx,
  { tenantId, recipientId }: RecipientKey,
  keptKinds: readonly AlertKind[],
): Promise<void> {
  await tx.query('DELETE FROM alerts WHERE tenant_id = $1 AND recipient_id = $2 AND kind <> ALL($3::text[])', [
    tenantId,
    recipientId,
    keptKinds,
  ]);
  if (keptKinds.length > 0) return;
  await tx.query(
    `DELETE FROM alert_messages WHERE tenant_id = $1 AND recipient_id = $2 AND status IN ('pending', 'sending') AND NOT is_test`,
    [tenantId, recipientId],
  );
}
