import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TriggerType } from '#prisma/enums.ts';
import { logLevels } from '#src/automation/node-api/node-runtime.ts';
import { runStatuses, stepStatuses } from '#src/automation/runs/run-status.rules.ts';
import { tickOutcomes } from '#src/automation/schedules/schedule-firing.store.ts';
import {
  fulfillmentKinds,
  fulfillmentStatuses,
  holdReasons,
  orderStatuses,
  paymentKinds,
  paymentStatuses,
} from '#src/commerce/orders/orders.inputs.ts';
import { movementKinds } from '#src/commerce/stock/stock.inputs.ts';
import { attemptStatuses, deliveryStatuses } from '#src/commerce/webhooks/deliveries.inputs.ts';
import { destinationStatuses, disabledReasons } from '#src/commerce/webhooks/destinations.inputs.ts';
import { bulkJobStatuses } from '#src/imports/bulk-jobs/bulk-jobs.rules.ts';
import { bulkJobKinds, bulkJobPhases } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { absences, encodings, formats, modes, quantityBases } from '#src/imports/profiles/profiles.inputs.ts';
import { loginWays } from '#src/imports/sftp-accounts/sftp-accounts.inputs.ts';
import { afterwards, directions } from '#src/imports/transfers/transfers.inputs.ts';
import { actionChannels } from '#src/infra/deps.ts';
import { errorGroupKinds } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import { alertKinds, alertMessageStatuses } from '#src/operations/alerts/alert-recipients.inputs.ts';
import { bulkActionKinds, bulkActionStatuses } from '#src/operations/bulk-actions/bulk-actions.rules.ts';
import { errorGroupStatuses } from '#src/operations/error-groups/error-groups.rules.ts';
import { cloneDatabase } from '#test/setup/database.ts';

/**
 * The closed sets that are text in the database (docs/decisions/enums-where-tables-stay-small.md): schema file, field, CHECK and the
 * values of the code.
 */
const columns = [
  ['automation/runs', 'status', 'runs_status_check', runStatuses],
  ['automation/runs', 'triggerType', 'runs_trigger_type_check', Object.values(TriggerType)],
  ['automation/runs', 'status', 'steps_status_check', stepStatuses],
  ['automation/runs', 'level', 'run_log_lines_level_check', logLevels],
  ['automation/schedules', 'outcome', 'schedule_ticks_outcome_check', tickOutcomes],
  ['commerce/orders', 'status', 'orders_status_check', orderStatuses],
  ['commerce/orders', 'paymentStatus', 'orders_payment_status_check', paymentStatuses],
  ['commerce/orders', 'fulfillmentStatus', 'orders_fulfillment_status_check', fulfillmentStatuses],
  ['commerce/orders', 'holdReason', 'orders_hold_reason_check', holdReasons],
  ['commerce/orders', 'kind', 'fulfillments_kind_check', fulfillmentKinds],
  ['commerce/orders', 'kind', 'payments_kind_check', paymentKinds],
  ['commerce/stock', 'kind', 'stock_movements_kind_check', movementKinds],
  ['commerce/webhooks', 'status', 'webhook_destinations_status_check', destinationStatuses],
  ['commerce/webhooks', 'disabledReason', 'webhook_destinations_reason_check', disabledReasons],
  ['commerce/webhooks', 'status', 'webhook_deliveries_status_check', deliveryStatuses],
  ['commerce/webhooks', 'status', 'webhook_attempts_status_check', attemptStatuses],
  ['imports/bulk-jobs', 'kind', 'bulk_jobs_kind_check', bulkJobKinds],
  ['imports/bulk-jobs', 'status', 'bulk_jobs_status_check', bulkJobStatuses],
  ['imports/bulk-jobs', 'phase', 'bulk_jobs_phase_check', bulkJobPhases],
  ['imports/profiles', 'format', 'import_profiles_format_check', formats],
  ['imports/profiles', 'encoding', 'import_profiles_encoding_check', encodings],
  ['imports/profiles', 'quantityBasis', 'import_profiles_quantity_basis_check', quantityBases],
  ['imports/profiles', 'mode', 'import_profiles_mode_check', modes],
  ['imports/profiles', 'absent', 'import_profiles_absent_check', absences],
  ['imports/transfers', 'loginBy', 'sftp_accounts_login_by_check', loginWays],
  ['imports/transfers', 'direction', 'transfers_direction_check', directions],
  ['imports/transfers', 'afterwards', 'transfers_afterwards_check', afterwards],
  ['imports/transfers', 'format', 'transfers_format_check', formats],
  ['operations/bulk-actions', 'kind', 'bulk_actions_kind_check', bulkActionKinds],
  ['operations/bulk-actions', 'status', 'bulk_actions_status_check', bulkActionStatuses],
  ['operations/alerts', 'kind', 'alerts_kind_check', alertKinds],
  ['operations/alerts', 'status', 'alert_messages_status_check', alertMessageStatuses],
  ['journal/error-groups', 'kind', 'error_groups_kind_check', errorGroupKinds],
  ['journal/error-groups', 'status', 'error_groups_status_check', errorGroupStatuses],
  ['journal/audit', 'channel', 'audit_entries_channel_check', actionChannels],
] as const;

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  clone = await cloneDatabase();
  client = new pg.Client({ connectionString: clone.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await clone.drop();
});

test.each(columns)('in %s, %s has the same values as %s and the code', async (file, field, name, values) => {
  const { rows } = await client.query<{ check: string; table: string }>(
    `SELECT pg_get_constraintdef(oid) AS check, conrelid::regclass::text AS table
     FROM pg_constraint WHERE conname = $1 AND conparentid = 0`,
    [name],
  );
  const [{ check, table } = { check: '', table: '' }] = rows;
  const held = [...check.matchAll(/'([^']+)'::text/g)].map(([, value]) => value);
  expect([...new Set(held)]).toEqual([...values]);
  const schema = readFileSync(new URL(`../../prisma/schema/${file}.prisma`, import.meta.url), 'utf8');
  expect(findComment(schema, table, field)).toBe(values.join(' | '));
});

/** The line above the field in the model of the table, up to its remark. */
function findComment(schema: string, table: string, field: string): string | undefined {
  const model = schema.split(/^model /m).find((part) => part.includes(`@@map("${table}")`)) ?? '';
  return new RegExp(`/// ([^;\\n]*).*\\n +${field} `).exec(model)?.[1];
}
