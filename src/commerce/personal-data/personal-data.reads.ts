import type { Database } from '#src/infra/postgres/database.ts';
import type { FoundRow } from './findings.rules.ts';
import type { CausedIds, SearchedTable } from './searched-tables.rules.ts';

type Reads = Pick<Database, 'tenantQuery'>;

/** A contact as it stands. */
export interface ContactRow {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  organization: string;
}

/** The contacts of an e-mail address; given an id, those of that contact's address. */
export const findContacts = (
  { tenantQuery }: Reads,
  tenantId: string,
  by: { id: string } | { email: string },
): Promise<ContactRow[]> =>
  tenantQuery<ContactRow>(tenantId, {
    text: `SELECT c.id::text, c.email, c.first_name AS "firstName", c.last_name AS "lastName", o.name AS organization
      FROM contacts c JOIN organizations o ON o.tenant_id = c.tenant_id AND o.id = c.organization_id
      WHERE c.tenant_id = $1 AND lower(c.email) = ${
        'id' in by ? '(SELECT lower(email) FROM contacts WHERE tenant_id = $1 AND id = $2::bigint)' : 'lower($2)'
      } ORDER BY c.id`,
    values: [tenantId, 'id' in by ? by.id : by.email],
  });

/** Addresses that the contacts had before, by the audit log, and that no other contact has now. */
export async function findFormerAddresses(
  { tenantQuery }: Reads,
  tenantId: string,
  contacts: readonly string[],
): Promise<string[]> {
  const rows = await tenantQuery<{ email: string }>(tenantId, {
    text: `SELECT DISTINCT lower(metadata ->> 'email') AS email FROM audit_entries e
      WHERE tenant_id = $1 AND resource_type = 'contact' AND resource_id = ANY($2) AND metadata ->> 'email' LIKE '%@%'
        AND NOT EXISTS (SELECT FROM contacts c WHERE c.tenant_id = $1 AND lower(c.email) = lower(e.metadata ->> 'email') AND c.id::text <> ALL($2))`,
    values: [tenantId, contacts],
  });
  return rows.map(({ email }) => email);
}

/** The names and streets in the addresses of the contacts' orders. */
export async function findNamesOfOrders(
  { tenantQuery }: Reads,
  tenantId: string,
  contacts: readonly string[],
): Promise<string[]> {
  const rows = await tenantQuery<{ name: string }>(tenantId, {
    text: `SELECT DISTINCT part AS name FROM orders o,
        unnest(ARRAY[o.shipping_address, o.billing_address]) address, unnest(ARRAY[address ->> 'name', address ->> 'street']) part
      WHERE o.tenant_id = $1 AND o.contact_id = ANY($2::bigint[]) AND trim(part) <> ''`,
    values: [tenantId, contacts],
  });
  return rows.map(({ name }) => name);
}

/** What the contacts and their orders caused. */
export async function findCaused(reads: Reads, tenantId: string, contacts: readonly string[]): Promise<CausedIds> {
  const ids = async (text: string, values: readonly (readonly string[])[]): Promise<string[]> =>
    (await reads.tenantQuery<{ id: string }>(tenantId, { text, values: [tenantId, ...values] })).map(({ id }) => id);
  const orders = await ids(
    'SELECT id::text FROM orders WHERE tenant_id = $1 AND contact_id = ANY($2::bigint[]) ORDER BY id',
    [contacts],
  );
  const events = await ids(
    `SELECT event_id::text AS id FROM order_changes WHERE tenant_id = $1 AND order_id = ANY($2::bigint[]) AND event_id IS NOT NULL
     UNION SELECT event_id::text FROM outbox_events WHERE tenant_id = $1 AND topic LIKE 'contact.%' AND data ->> 'id' = ANY($3)
     UNION SELECT event_id::text FROM webhook_payloads WHERE tenant_id = $1 AND topic LIKE 'contact.%' AND body::jsonb #>> '{data,id}' = ANY($3) ORDER BY 1`,
    [orders, contacts],
  );
  const byEvents = (table: string) =>
    ids(`SELECT id::text FROM ${table} WHERE tenant_id = $1 AND event_id = ANY($2::uuid[]) ORDER BY id`, [events]);
  const payloads = await byEvents('webhook_payloads');
  return {
    contacts: [...contacts],
    orders,
    events,
    runs: await byEvents('runs'),
    payloads,
    deliveries: await ids(
      'SELECT id::text FROM webhook_deliveries WHERE tenant_id = $1 AND payload_id = ANY($2::bigint[]) ORDER BY id',
      [payloads],
    ),
    deadLetters: await byEvents('dead_letters'),
    resources: [...contacts.map((id) => `contact ${id}`), ...orders.map((id) => `order ${id}`)],
  };
}

/** The whole row of a contact or an order, with what belongs to the order, as JSON text. */
export async function readWhole(
  reads: Reads,
  tenantId: string,
  ids: { contacts: readonly string[]; orders: readonly string[] },
) {
  const read = async (text: string, of: readonly string[]): Promise<string[]> =>
    (await reads.tenantQuery<{ row: string }>(tenantId, { text, values: [tenantId, of] })).map(({ row }) => row);
  const parts = ['order_positions', 'fulfillments', 'payments', 'order_changes'].map(
    (table) => `'${table}', (SELECT coalesce(jsonb_agg(to_jsonb(p) - 'tenant_id' ORDER BY p.id), '[]') FROM ${table} p
      WHERE p.tenant_id = o.tenant_id AND p.order_id = o.id)`,
  );
  return {
    contacts: await read(
      `SELECT (to_jsonb(c) - 'tenant_id')::text AS row FROM contacts c WHERE tenant_id = $1 AND id = ANY($2::bigint[]) ORDER BY id`,
      ids.contacts,
    ),
    orders: await read(
      `SELECT (to_jsonb(o) - 'tenant_id' || jsonb_build_object(${parts.join(', ')}))::text AS row FROM orders o
       WHERE tenant_id = $1 AND id = ANY($2::bigint[]) ORDER BY id`,
      ids.orders,
    ),
  };
}

/** Rows that one statement looks through. */
const step = 2_000;

const searchedColumns = ({ json = [], text = [], kept = {}, deletes }: SearchedTable): string[] => [
  ...new Set([...json, ...text, ...Object.keys(kept), ...(deletes === undefined ? [] : [deletes])]),
];
const list = (columns: readonly string[]): string => columns.map((column) => `t."${column}"`).join(', ');

/** Looks through a table in statements of a bounded number of rows; yields what may name the person, and how many rows were read. */
export async function* scanTable(
  { tenantQuery }: Reads,
  tenantId: string,
  table: SearchedTable,
  person: { patterns: readonly string[]; caused: CausedIds },
): AsyncGenerator<FoundRow[]> {
  const keys = list(table.key);
  const { text, read } = toSearch(table);
  const caused = table.caused === undefined ? [] : [person.caused[table.caused.by]];
  let after: string[] | undefined;
  do {
    const last: string[] | undefined = await findLastKey(tenantQuery, tenantId, table, after);
    const values = [tenantId, person.patterns, ...caused];
    const range = [
      ...(after ? [`(${keys}) > (${after.map((key) => `$${values.push(key as never)}`).join(', ')})`] : []),
      ...(last ? [`(${keys}) <= (${last.map((key) => `$${values.push(key as never)}`).join(', ')})`] : []),
    ];
    const rows = await tenantQuery<Record<string, string | boolean | null>>(tenantId, {
      text: `${text} ${range.map((one) => ` AND ${one}`).join('')} ORDER BY ${keys}`,
      values,
    });
    yield rows.map(read);
    after = last;
  } while (after);
}

/** The key of the last row of the next part; undefined where the rest is one part. */
async function findLastKey(
  tenantQuery: Reads['tenantQuery'],
  tenantId: string,
  table: SearchedTable,
  after: string[] | undefined,
): Promise<string[] | undefined> {
  const keys = list(table.key);
  const named = table.key.map((key, index) => `t."${key}"::text AS k${index}`).join(', ');
  const from = after ? `AND (${keys}) > (${after.map((_, index) => `$${index + 3}`).join(', ')})` : '';
  const [row] = await tenantQuery<Record<string, string>>(tenantId, {
    text: `SELECT ${named} FROM ${table.name} t WHERE t.tenant_id = $1 ${from} ORDER BY ${keys} OFFSET $2 LIMIT 1`,
    values: [tenantId, step - 1, ...(after ?? [])],
  });
  return row && table.key.map((_, index) => row[`k${index}`] as string);
}

function toSearch(table: SearchedTable) {
  const columns = searchedColumns(table);
  const json = new Set(table.json);
  const conditions = columns.map((column) => {
    const text = `t."${column}"::text`;
    // HTML and XML may write any character as an entity.
    const named = `lower(${text}) LIKE ANY (ARRAY(SELECT lower(pattern) FROM unnest($2::text[]) pattern)) OR ${text} LIKE '%&%;%'`;
    // JSON that is kept as it was written may have any letter as an escape.
    return json.has(column) ? `${named} OR ${text} LIKE '%\\\\u%'` : named;
  });
  const isCaused = table.caused && `${table.caused.column} = ANY($3::${table.caused.type}[])`;
  const selected = [
    ...table.key.map((key, index) => `t."${key}"::text AS k${index}`),
    ...columns.map((column, index) => `t."${column}"::text AS c${index}`),
    `${isCaused ?? 'false'} AS own`,
    `${table.waits ?? 'NULL::text'} AS waits`,
  ];
  const read = (row: Record<string, string | boolean | null>): FoundRow => ({
    key: table.key.map((_, index) => row[`k${index}`] as string),
    columns: Object.fromEntries(columns.map((column, index) => [column, row[`c${index}`] as string | null])),
    isOwn: row['own'] === true,
    waits: row['waits'] as string | null,
  });
  return {
    text: `SELECT ${selected.join(', ')} FROM ${table.name} t WHERE t.tenant_id = $1
      AND (${[...conditions, ...(isCaused === undefined ? [] : [isCaused])].join(' OR ')})`,
    read,
  };
}
