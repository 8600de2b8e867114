import type { Database } from '#src/infra/postgres/database.ts';
import { type Json, parseExactly } from './exact-json.rules.ts';
import type { Finding, FindingsOfRow, FoundRow } from './findings.rules.ts';
import { createMatcher, createNameMatcher, erased, likePatterns, type Person, pseudonyms } from './person.rules.ts';
import {
  type ContactRow,
  findCaused,
  findContacts,
  findFormerAddresses,
  findNamesOfOrders,
  scanTable,
} from './personal-data.reads.ts';
import { createRedactor, type Part } from './redaction.rules.ts';
import { type CausedIds, type SearchedTable, searchedTables } from './searched-tables.rules.ts';

/** Whom to find: a contact by its id or e-mail address, and further texts that name the same person. */
export interface Wanted {
  contact: string;
  also: readonly string[];
}

export interface FoundPerson extends Person {
  contacts: ContactRow[];
  caused: CausedIds;
}

type Reads = Pick<Database, 'tenantQuery'>;

/** The contacts of a person and how records name it; undefined where an id is no contact's. An address needs no contact. */
export async function findPerson(
  reads: Reads,
  tenantId: string,
  { contact, also }: Wanted,
): Promise<FoundPerson | undefined> {
  const isId = /^\d{1,18}$/.test(contact);
  const contacts = await findContacts(reads, tenantId, isId ? { id: contact } : { email: contact });
  if (isId && contacts.length === 0) return undefined;
  const ids = contacts.map(({ id }) => id);
  const addresses = [
    ...contacts.map(({ email }) => email.toLowerCase()),
    ...(isId ? [] : [contact.toLowerCase()]),
    ...(await findFormerAddresses(reads, tenantId, ids)),
  ];
  const organizations = new Set(contacts.map(({ organization }) => organization.toLowerCase()));
  const names = [
    ...contacts.flatMap(({ firstName, lastName }) => [
      firstName,
      lastName,
      firstName && lastName && `${firstName} ${lastName}`,
    ]),
    ...(await findNamesOfOrders(reads, tenantId, ids)),
  ].filter((name) => name !== null && name.trim() !== '' && !organizations.has(name.toLowerCase()));
  return {
    contacts,
    addresses: [...new Set(addresses)].filter((address) => !address.endsWith(pseudonyms)),
    also,
    names: [...new Set(names as string[])],
    caused: await findCaused(reads, tenantId, ids),
  };
}

/** Looks for a person in every table; yields the rows of each statement, also where none was found, for progress. */
export async function* searchTables(
  reads: Reads,
  tenantId: string,
  person: FoundPerson,
): AsyncGenerator<{ table: SearchedTable; rows: FindingsOfRow[] }> {
  const inspect = createInspector(person);
  const patterns = likePatterns(person);
  for (const table of searchedTables) {
    for await (const rows of scanTable(reads, tenantId, table, { patterns, caused: person.caused })) {
      const found = rows.map((row) => ({ ...row, table, findings: inspect(table, row) }));
      yield { table, rows: found.filter(({ findings }) => findings.length > 0) };
    }
  }
}

/**
 * Counts, for each text of `also`, the records that contain it but do not name the person in another way, and that the person's contacts
 * and orders did not cause.
 */
export async function countForeign(
  reads: Reads,
  tenantId: string,
  person: FoundPerson,
): Promise<{ text: string; records: number }[]> {
  const nobody = { addresses: [], also: [], names: [] };
  const byElse = createInspector({ ...person, also: [] });
  const counts = person.also.map((text) => ({
    text,
    records: 0,
    inspect: createInspector({ ...nobody, also: [text] }),
  }));
  for await (const { table, rows } of searchTables(reads, tenantId, person)) {
    for (const row of rows) {
      if (row.isOwn || byElse(table, row).length > 0) continue;
      for (const count of counts) if (count.inspect(table, row).length > 0) count.records += 1;
    }
  }
  return counts.map(({ text, records }) => ({ text, records }));
}

function createInspector(person: Person): (table: SearchedTable, row: FoundRow) => Finding[] {
  const matches = createMatcher(person);
  const isName = createNameMatcher(person);
  const redact = createRedactor(person);

  const inText = (text: string, isOwn: boolean): { parts: Part[]; value: string } =>
    text !== erased && (matches(text) || (isOwn && isName(text)))
      ? { parts: [{ path: '', value: text }], value: erased }
      : { parts: [], value: text };

  function inJson(text: string, isOwn: boolean): { parts: Part[]; value: string } {
    const document = parseOrKeep(text);
    if (document === undefined) return inText(text, isOwn);
    const { parts, value } = redact(document, isOwn);
    return { parts, value: JSON.stringify(value) };
  }

  return (table, { columns, isOwn }) =>
    Object.entries(columns).flatMap(([column, text]): Finding[] => {
      if (text === null) return [];
      const isJson = table.json?.includes(column) === true;
      const { parts, value } = isJson ? inJson(text, isOwn) : inText(text, isOwn && !(column in (table.kept ?? {})));
      if (parts.length === 0) return [];
      const reason = table.stays ?? table.kept?.[column];
      return [
        { column, parts, erasedTo: reason === undefined ? value : null, ...(reason !== undefined && { reason }) },
      ];
    });
}

function parseOrKeep(text: string): Json | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
