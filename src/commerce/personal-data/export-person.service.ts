import type { Database } from '#src/infra/postgres/database.ts';
import { type Json, parseExactly } from './exact-json.rules.ts';
import { findPerson, searchTables, type Wanted } from './find-person.service.ts';
import { readWhole } from './personal-data.reads.ts';

/** Where a record names the person, and what it says there. */
interface ExportedPart {
  table: string;
  key: Record<string, string>;
  column: string;
  /** Keys and positions within the column's JSON, with dots; empty for all of it. */
  path: string;
  value: Json;
}

export interface PersonExport {
  tenant: string;
  addresses: readonly string[];
  contacts: Json[];
  orders: Json[];
  found: ExportedPart[];
}

/** Tables whose rows the export has whole, in its contacts and orders. */
const wholeOnes = new Set(['orders', 'order_changes', 'order_positions', 'payments', 'fulfillments']);

/** Everything about a person in a tenant; undefined where an id is no contact's. `onProgress` hears of each table. */
export async function exportPerson(
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  wanted: Wanted,
  onProgress: (table: string) => void = () => undefined,
): Promise<PersonExport | undefined> {
  const person = await findPerson(database, tenantId, wanted);
  if (!person) return undefined;
  const whole = await readWhole(database, tenantId, person.caused);
  const found: ExportedPart[] = [];
  let before = '';
  for await (const { table, rows } of searchTables(database, tenantId, person)) {
    if (table.name !== before) onProgress(table.name);
    before = table.name;
    for (const { key, isOwn, findings } of rows) {
      if (isOwn && wholeOnes.has(table.name)) continue;
      const named = Object.fromEntries(table.key.map((column, index) => [column, key[index] as string]));
      for (const { column, parts } of findings)
        for (const { path, value } of parts) found.push({ table: table.name, key: named, column, path, value });
    }
  }
  return {
    tenant: tenantId,
    addresses: person.addresses,
    contacts: whole.contacts.map(parseExactly),
    orders: whole.orders.map(parseExactly),
    found,
  };
}
