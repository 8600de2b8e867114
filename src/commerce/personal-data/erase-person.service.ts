import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { auditedContact, contactData, contactUpdated } from '#src/commerce/contacts/contacts.declarations.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError } from '#src/infra/errors.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { deleteUnused } from '#src/infra/storage/object-references.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { countForeign, findPerson, type FoundPerson, searchTables, type Wanted } from './find-person.service.ts';
import type { FindingsOfRow } from './findings.rules.ts';
import { pseudonyms } from './person.rules.ts';
import { type ContactRow, findCaused } from './personal-data.reads.ts';
import { eraseRows, findFiles, findImport, forgetFiles } from './personal-data.store.ts';
import type { SearchedTable } from './searched-tables.rules.ts';

/** A record that still names the person, and why. */
export interface Remaining {
  table: string;
  key: Record<string, string>;
  columns: string[];
  reason: string;
}

export interface Erasure {
  /** Rows that were changed or deleted, or would be, by table; `files` are objects in storage. */
  erased: Record<string, number>;
  remaining: Remaining[];
  /** Texts that are probably common words; see `maxForeign`. */
  common: { text: string; records: number }[];
}

/**
 * The most records that may contain a text of `--also` without naming the person in another way. A text in more records is probably a
 * common word, and erasing it would erase data of other people.
 */
export const maxForeign = 100;

/** How an erasure is made. A rehearsal changes nothing. */
export interface ErasureOptions {
  isRehearsal: boolean;
  /** True to erase also by texts that are probably common words. */
  allowsCommon: boolean;
  /** Hears of each table that is begun. */
  onProgress: (table: string) => void;
}

interface ErasureDeps extends Pick<Deps, 'database' | 'storage'> {
  actor: Actor;
}

/** Says why a text alone is not enough to erase a record. */
const tooCommon = ({ text, records }: Erasure['common'][number]): string =>
  `"${text}" is in ${records} records that name the person by nothing else: it may belong to other people too. Leave it out, or check the records with customer export and then erase with --common.`;

const unfinished = 'What its orders or contacts caused has not ended: see the other records, and erase again.';
const importRuns = (job: number): string =>
  `Import ${job} has not ended and may bring the contact: wait for it or cancel it, and erase again.`;

/**
 * Erases a person from a tenant in many short transactions; undefined where an id is no contact's. Orders and then contacts come last, so
 * that an erasure which was interrupted, or found what waits, is completed by calling it again. Throws ConflictError while an import that
 * may bring the contact is queued or running, and for a text that is probably a common word.
 */
export async function erasePerson(
  deps: ErasureDeps,
  wanted: Wanted,
  options: ErasureOptions,
): Promise<Erasure | undefined> {
  const { database, actor } = deps;
  const { tenantId } = actor;
  const person = await findPerson(database, tenantId, wanted);
  if (!person) return undefined;
  const job = await database.withTenantSql(tenantId, (tx) => findImport(tx, tenantId));
  if (job !== undefined && !options.isRehearsal) throw new ConflictError(importRuns(job));
  const foreign = person.also.length === 0 ? [] : await countForeign(database, tenantId, person);
  const common = foreign.filter(({ records }) => records > maxForeign);
  const [first] = common;
  if (first && !options.isRehearsal && !options.allowsCommon) throw new ConflictError(tooCommon(first));
  const { result, waits } = await eraseRecords(deps, person, options);
  result.common = common;
  await eraseContacts(deps, person, result, { ...options, waits });
  return result;
}

/** Erases the person in every table but contacts; `waits` is true where something that its contacts or orders caused has to wait. */
async function eraseRecords(
  { database, actor: { tenantId } }: ErasureDeps,
  person: FoundPerson,
  { isRehearsal, onProgress }: ErasureOptions,
): Promise<{ result: Erasure; waits: boolean }> {
  const result: Erasure = { erased: {}, remaining: [], common: [] };
  let waits = false;
  /** Names in events that are not handed out yet, or in what orders caused meanwhile, are found only while the orders have them. */
  let keepsOrders = false;
  let before: SearchedTable | undefined;
  for await (const { table, rows } of searchTables(database, tenantId, person)) {
    if (table !== before) {
      onProgress(table.name);
      if (table.name === 'orders') keepsOrders ||= await hasCausedMore(database, tenantId, person);
    }
    before = table;
    const ready: FindingsOfRow[] = [];
    for (const row of rows) {
      const reason = row.waits ?? (table.name === 'orders' && row.isOwn && keepsOrders ? unfinished : undefined);
      if (reason !== undefined) {
        waits ||= row.isOwn;
        keepsOrders ||= row.isOwn && table.name === 'outbox_events';
        result.remaining.push(toRemaining(row, row.findings, reason));
        continue;
      }
      const kept = row.findings.filter(({ erasedTo }) => erasedTo === null);
      if (kept.length > 0) result.remaining.push(toRemaining(row, kept, kept[0]?.reason ?? ''));
      if (kept.length < row.findings.length) ready.push(row);
    }
    const missed = isRehearsal ? [] : await eraseRows(database, tenantId, table, ready);
    waits ||= missed.some(({ isOwn }) => isOwn);
    for (const row of missed)
      result.remaining.push(toRemaining(row, row.findings, 'It was changed meanwhile: erase again.'));
    addCount(result, table.name, ready.length - missed.length);
  }
  return { result, waits: waits || keepsOrders };
}

const hasCausedMore = async (
  database: ErasureDeps['database'],
  tenantId: string,
  { contacts, caused }: FoundPerson,
): Promise<boolean> => {
  const now = await findCaused(
    database,
    tenantId,
    contacts.map(({ id }) => id),
  );
  return !isDeepStrictEqual(now, caused);
};

const toRemaining = (row: FindingsOfRow, findings: FindingsOfRow['findings'], reason: string): Remaining => ({
  table: row.table.name,
  key: Object.fromEntries(row.table.key.map((column, index) => [column, row.key[index] as string])),
  columns: findings.map(({ column }) => column),
  reason,
});

function addCount({ erased }: Erasure, table: string, rows: number): void {
  if (rows > 0) erased[table] = (erased[table] ?? 0) + rows;
}

/** Erases the contacts themselves, and the files that may name them; writes to the audit log how many rows were erased. */
async function eraseContacts(
  deps: ErasureDeps,
  { contacts }: FoundPerson,
  result: Erasure,
  { isRehearsal, waits }: ErasureOptions & { waits: boolean },
): Promise<void> {
  const { database, actor } = deps;
  const { tenantId } = actor;
  const named = contacts.filter(isNamed);
  if (named.length > 0 || Object.keys(result.erased).length > 0) {
    const files = await (isRehearsal ? findFiles : forgetFiles)(database, tenantId);
    if (!isRehearsal) await deleteUnused(deps, files);
    addCount(result, 'files', files.length);
  }
  await database.withTenant(tenantId, async (tx) => {
    const job = await findImport(tx, tenantId);
    const reason = waits ? unfinished : job === undefined ? undefined : importRuns(job);
    if (reason === undefined) {
      addCount(result, 'contacts', named.length);
      if (!isRehearsal) for (const { id } of named) await pseudonymise(tx, actor, BigInt(id));
    } else {
      const columns = ['email', 'first_name', 'last_name'];
      for (const { id } of named) result.remaining.push({ table: 'contacts', key: { id }, columns, reason });
    }
    if (isRehearsal || Object.keys(result.erased).length === 0) return;
    const metadata = { erased: result.erased, remaining: result.remaining.length };
    for (const resourceId of contacts.length === 0 ? ['unknown'] : contacts.map(({ id }) => id))
      await recordAudit(tx, actor, { resource: auditedContact, action: 'erase', resourceId, metadata });
  });
}

const isNamed = ({ email, firstName, lastName }: ContactRow): boolean =>
  !email.endsWith(pseudonyms) || firstName !== null || lastName !== null;

async function pseudonymise(tx: TenantTx, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  const contact = await tx.contact.update({
    where: { tenantId_id: { tenantId, id } },
    data: { email: `erased-${randomUUID()}${pseudonyms}`, firstName: null, lastName: null },
  });
  await publishEvent(tx, { tenantId, cause: actor, topic: contactUpdated, data: contactData(contact) });
}
