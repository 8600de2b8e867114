import { readOfSteps, readStepKey } from '#src/automation/runs/run-details.reads.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** Outputs of more bytes of JSON are previewed, and are read whole by a link. */
export const previewedBytes = 64 * 1024;
const previewCharacters = 4_000;

/** Bytes of the JSON text of each step's outputs, by the step's key; null without outputs. Postgres decompresses them for it. */
export const readOutputSizes = (database: Database, tenantId: string, keys: readonly string[]) =>
  readOfSteps<number | null>(database, tenantId, keys, {
    name: 'output-sizes',
    expression: 'octet_length(s.outputs::text)',
  });

/**
 * Each step's outputs where they are small, and else `{truncated, length, start}` of their text, in characters. The text is made once, which
 * `OFFSET 0` sees to: made for each use, the preview of 2 MB takes 128 ms instead of 51.
 */
export const readOutputPreviews = (database: Database, tenantId: string, keys: readonly string[]) =>
  readOfSteps<unknown>(database, tenantId, keys, {
    name: 'output-previews',
    expression: `(SELECT CASE WHEN octet_length(o.text) <= ${previewedBytes} THEN s.outputs
      WHEN o.text IS NOT NULL THEN jsonb_build_object('truncated', true, 'length', length(o.text),
        'start', left(o.text, ${previewCharacters})) END FROM (SELECT s.outputs::text AS text OFFSET 0) AS o)`,
  });

/** The JSON text of the outputs of the step with this key. NotFoundError if there is none, or no longer. */
export async function requireOutputText(database: Database, tenantId: string, key: string): Promise<string> {
  const step = readStepKey(key);
  if (!step) throw new NotFoundError();
  const [row] = await database.tenantQuery<{ text: string | null }>(tenantId, {
    text: `SELECT outputs::text AS text FROM steps WHERE tenant_id = $1 AND run_id = $2 AND attempt = $3 AND path = $4`,
    values: [tenantId, step.runId, step.attempt, step.path],
  });
  if (!row || row.text === null) throw new NotFoundError();
  return row.text;
}
