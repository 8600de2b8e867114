import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TriggerType } from '#prisma/enums.ts';
import { logLevels } from '#src/automation/node-api/node-runtime.ts';
import { runStatuses, stepStatuses } from '#src/automation/runs/run-status.rules.ts';
import { tickOutcomes } from '#src/automation/schedules/schedule-firing.store.ts';
import { movementKinds } from '#src/commerce/stock/stock.inputs.ts';
import { bulkJobStatuses } from '#src/imports/bulk-jobs/bulk-job-status.rules.ts';
import { actionChannels } from '#src/infra/deps.ts';
import { cloneDatabase } from '#test/setup/database.ts';

/** The closed sets that are text in the database: docs/decisions/enums-where-tables-stay-small.md. */
const columns = [
  { file: 'automation/runs', field: 'status', table: 'runs', column: 'status', values: runStatuses },
  {
    file: 'automation/runs',
    field: 'triggerType',
    table: 'runs',
    column: 'trigger_type',
    values: Object.values(TriggerType),
  },
  { file: 'automation/runs', field: 'status', table: 'steps', column: 'status', values: stepStatuses },
  { file: 'automation/runs', field: 'level', table: 'run_log_lines', column: 'level', values: logLevels },
  { file: 'automation/schedules', field: 'outcome', table: 'schedule_ticks', column: 'outcome', values: tickOutcomes },
  { file: 'commerce/stock', field: 'kind', table: 'stock_movements', column: 'kind', values: movementKinds },
  { file: 'imports/bulk-jobs', field: 'status', table: 'bulk_jobs', column: 'status', values: bulkJobStatuses },
  { file: 'journal/audit', field: 'channel', table: 'audit_entries', column: 'channel', values: actionChannels },
];

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

test.each(columns)('$table.$column has the same values in code, schema and database', async (closed) => {
  const { rows } = await client.query<{ check: string }>(
    `SELECT pg_get_constraintdef(oid) AS check FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2`,
    [closed.table, `${closed.table}_${closed.column}_check`],
  );
  const held = [...(rows[0]?.check ?? '').matchAll(/'(\w+)'::text/g)].map(([, value]) => value);
  expect(held).toEqual([...closed.values]);
  const schema = readFileSync(new URL(`../../prisma/schema/${closed.file}.prisma`, import.meta.url), 'utf8');
  expect(commentOf(schema, closed)).toBe(closed.values.join(' | '));
});

/** The line above the field, in the model of the table. */
function commentOf(schema: string, { table, field }: { table: string; field: string }): string | undefined {
  const model = schema.split(/^model /m).find((part) => part.includes(`@@map("${table}")`)) ?? '';
  return new RegExp(`/// (.*)\\n +${field} `).exec(model)?.[1];
}
