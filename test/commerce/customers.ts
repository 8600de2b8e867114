import type { TestApp } from '#test/setup/app.ts';

const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';

interface Made {
  id: string;
  databaseId: number;
}

/** Runs a mutation of one input; answers the member of its payload, or the refusal. */
async function mutate<Row = Made>(
  api: TestApp,
  name: string,
  member: string,
  { fields, input, apiKey }: { fields: string; input: object; apiKey?: string | undefined },
): Promise<Row> {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  const { data, errors } = await api.graphql<Record<string, Record<string, Row>>>(
    `mutation ($input: ${type}Input!) {
      ${name}(input: $input) { ... on ${type}Payload { ${member} { ${fields} } } ${failure} }
    }`,
    { input },
    apiKey === undefined ? {} : { apiKey },
  );
  if (errors) throw new Error(JSON.stringify(errors));
  const result = data[name] as Record<string, Row>;
  return result[member] ?? (result as unknown as Row);
}

const organizationFields =
  'id databaseId customerNumber name addresses { type name street postalCode city country } paymentTerms updatedAt';
const contactFields = 'id databaseId organizationId email firstName lastName role approvalLimit updatedAt';
const costCentreFields = 'id databaseId code name budget updatedAt';

/** Writes as the ERP, by a key of acme-shop. */
export async function upsertOrganization<Row = Made>(api: TestApp, input: object): Promise<Row> {
  const apiKey = await erpKey(api);
  return mutate(api, 'upsertOrganization', 'organization', { fields: organizationFields, input, apiKey });
}
export const upsertOrganizationAsUser = (api: TestApp, input: object) =>
  mutate<object>(api, 'upsertOrganization', 'organization', { fields: organizationFields, input });

/** Writes as the shop, by a user; with a key, as the ERP. */
export const createContact = <Row = Made>(api: TestApp, input: object, apiKey?: string): Promise<Row> =>
  mutate(api, 'createContact', 'contact', { fields: contactFields, input, apiKey });
export const updateContact = <Row = Made>(api: TestApp, input: object, apiKey?: string): Promise<Row> =>
  mutate(api, 'updateContact', 'contact', { fields: contactFields, input, apiKey });
export const upsertCostCentre = <Row = Made>(api: TestApp, input: object, apiKey?: string): Promise<Row> =>
  mutate(api, 'upsertCostCentre', 'costCentre', { fields: costCentreFields, input, apiKey });

const keys = new WeakMap<TestApp, Promise<string>>();
export function erpKey(api: TestApp): Promise<string> {
  const key = keys.get(api) ?? api.apiKey(['customers:read', 'customers:write']);
  keys.set(api, key);
  return key;
}

/** Events about a row of the tenant, in order: topic and data. */
export async function findEvents(api: TestApp, noun: string, id: number): Promise<[string, object][]> {
  const { rows } = await api.database.system.query<{ topic: string; data: object }>(
    `SELECT topic, data FROM outbox_events WHERE topic LIKE $1 AND data ->> 'id' = $2 ORDER BY id`,
    [`${noun}.%`, String(id)],
  );
  return rows.map(({ topic, data }) => [topic, data]);
}

/** Actions of the audit log on a row, in order. */
export async function actionsOn(api: TestApp, type: string, id: number): Promise<string[]> {
  const { rows } = await api.database.system.query<{ action: string }>(
    'SELECT action FROM audit_entries WHERE resource_type = $1 AND resource_id = $2 ORDER BY id',
    [type, String(id)],
  );
  return rows.map(({ action }) => action);
}
