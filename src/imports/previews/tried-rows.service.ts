import { randomInt } from 'node:crypto';
import { plainNumber } from '#src/imports/comparing/key-filter.ts';
import { rolledBack } from '#src/imports/merging/rolled-back.service.ts';
import type { KeptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import type { ReadRow, RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import { insertRows } from '#src/imports/staging/staging.store.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';

/** Why a row that can be read would be rejected; `column` as the file names it. */
interface Refusal {
  column: string | null;
  reason: string;
}

interface Tried {
  target: ImportTarget;
  profile: KeptProfile;
  reader: Pick<RowReader, 'columns' | 'findColumn'>;
  rows: readonly ReadRow[];
}

/** Below 0, so that no job has it. */
const maxJobId = 2 ** 47;

/** Merges a few rows in a transaction that is rolled back, and answers why rows would be rejected, by their number from 1. */
export async function tryRows(deps: ImportDeps, tenantId: string, tried: Tried): Promise<Map<number, Refusal[]>> {
  const { target, profile, reader, rows } = tried;
  const found = repeatedRows(tried);
  const jobId = -randomInt(1, maxJobId);
  const heads = rows.map((row, at) => ({ ...row, n: at + 1, isFaulty: row.faults.length > 0 || found.has(at + 1) }));
  if (heads.every(({ isFaulty }) => isFaulty)) return found;
  const chunk = { tenantId, jobId, after: 0, upTo: rows.length, options: profile };
  const refused = await rolledBack(deps, tenantId, async (tx) => {
    await insertRows(tx, jobId, { columns: reader.columns, rows: heads });
    const [surveyed] = (await target.survey?.(tx, chunk, rows.length)) ?? [];
    return (await target.merge(tx, { ...chunk, hasSubscribers: false }, surveyed)).refused;
  });
  for (const { n, field, reason } of refused)
    found.set(n, [...(found.get(n) ?? []), { column: field === null ? null : reader.findColumn(field), reason }]);
  return found;
}

/** Rows whose record an earlier row names, where a file may not. */
function repeatedRows({ target, profile, reader: { columns, findColumn }, rows }: Tried): Map<number, Refusal[]> {
  const found = new Map<number, Refusal[]>();
  if (target.mayRepeat?.(profile) === true) return found;
  const places = target.key.map((name) => columns.findIndex((column) => column.name === name));
  const column = findColumn(target.key.at(-1) as string);
  const lines = new Map<string, number>();
  for (const [at, { line, cells, faults }] of rows.entries()) {
    if (cells[places[0] as number] === null) continue;
    const key = JSON.stringify(
      places.map((place) => {
        const cell = cells[place] ?? null;
        return cell !== null && columns[place]?.cell.type === 'numeric' ? plainNumber(cell) : cell;
      }),
    );
    const earlier = lines.get(key);
    if (earlier === undefined) lines.set(key, line);
    else if (faults.length === 0)
      found.set(at + 1, [{ column, reason: `Line ${earlier} names the same record. Keep one of the two.` }]);
  }
  return found;
}
