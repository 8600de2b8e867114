/** Ids of what the person's contacts and orders caused. */
export interface CausedIds {
  contacts: string[];
  orders: string[];
  events: string[];
  runs: string[];
  payloads: string[];
  deliveries: string[];
  deadLetters: string[];
  /** `<type> <id>` of the contacts and orders, as the audit log names them. */
  resources: string[];
}

/** A table in which a person is looked for. */
export interface SearchedTable {
  name: string;
  /** Its primary key without the tenant. */
  key: readonly string[];
  /** Columns of JSON, also those that keep it as text. */
  json?: readonly string[];
  text?: readonly string[];
  /** The column whose rows are deleted where it names the person: a part of their key. */
  deletes?: string;
  /** What is computed from the columns, as an UPDATE sets it. */
  derived?: string;
  /** Columns of text that are found and kept, and why. */
  kept?: Readonly<Record<string, string>>;
  /** Rows that the person's contacts and orders caused: names count in them too. */
  caused?: { column: string; type: string; by: keyof CausedIds };
  /** SQL of why a row `t` is not erased yet; null where it is. */
  waits?: string;
  /** True where the application's roles may only add rows: they are changed as the owner of the tables. */
  appendOnly?: true;
  /** Why no row of the table is changed at all. */
  stays?: string;
}

const runEnds = (runId: string): string =>
  `(SELECT 'Run ' || r.id || ' has not ended: wait for it or cancel it.' FROM runs r
    WHERE r.tenant_id = t.tenant_id AND r.id = ${runId} AND r.status IN ('queued', 'running', 'waiting'))`;
const jobEnds = (jobId: string): string =>
  `(SELECT 'Import ' || j.id || ' has not ended: wait for it or cancel it.' FROM bulk_jobs j
    WHERE j.tenant_id = t.tenant_id AND j.id = ${jobId} AND j.status IN ('queued', 'running'))`;
const isSent = (payloadId: string): string =>
  `(SELECT 'Delivery ' || d.id || ' is still to be sent: wait for it, or delete its destination.' FROM webhook_deliveries d
    WHERE d.tenant_id = t.tenant_id AND d.payload_id = ${payloadId} AND d.status IN ('pending', 'held') ORDER BY d.id LIMIT 1)`;
const isSettled = (deadLetterId: string): string =>
  `(SELECT 'Dead letter ' || l.id || ' is pending: replay or discard it.' FROM dead_letters l
    WHERE l.tenant_id = t.tenant_id AND l.id = ${deadLetterId} AND l.status = 'pending')`;

const ledger = 'The ledger and the payments stay as they were booked.';
const written = 'People of the tenant wrote it: change it there.';
const byRun = (column: string) =>
  ({ caused: { column, type: 'bigint', by: 'runs' }, waits: runEnds(`t.${column}`) }) as const;

/**
 * Where a person may stand. Orders come last: what they caused is found by them, so that an erasure which was interrupted finds it again.
 * Contacts are found by their id and address, and erased after all of these.
 */
export const searchedTables: readonly SearchedTable[] = [
  {
    name: 'audit_entries',
    appendOnly: true,
    key: ['id'],
    json: ['metadata'],
    text: ['actor_sub', 'actor_email', 'resource_id'],
    caused: { column: `(t.resource_type || ' ' || t.resource_id)`, type: 'text', by: 'resources' },
  },
  {
    name: 'outbox_events',
    appendOnly: true,
    key: ['id'],
    json: ['data', 'metadata'],
    caused: { column: 'event_id', type: 'uuid', by: 'events' },
    waits: `(SELECT 'Event ' || t.id || ' has not been handed out yet.' WHERE EXISTS (
      SELECT FROM outbox_cursors c WHERE (c.xid, c.id) < (t.xid, t.id)))`,
  },
  {
    name: 'runs',
    key: ['id'],
    text: ['error', 'cancel_requested_sub', 'cancel_requested_email'],
    waits: runEnds('t.id'),
  },
  { name: 'run_payloads', key: ['run_id'], json: ['payload'], ...byRun('run_id') },
  { name: 'run_results', key: ['run_id'], json: ['result'], ...byRun('run_id') },
  {
    name: 'steps',
    key: ['run_id', 'path', 'attempt'],
    json: ['inputs', 'outputs', 'error', 'calls'],
    ...byRun('run_id'),
  },
  { name: 'run_files', key: ['run_id', 'id'], text: ['name'], ...byRun('run_id') },
  { name: 'run_log_lines', key: ['run_id', 'id'], text: ['message'], ...byRun('run_id') },
  { name: 'test_run_outputs', appendOnly: true, key: ['run_id', 'path'], json: ['outputs'], ...byRun('run_id') },
  {
    name: 'test_run_state',
    key: ['run_id', 'namespace', 'key'],
    json: ['value'],
    kept: { key: 'It names an entry of a test run, which is deleted a day after its end.' },
    waits: runEnds('t.run_id'),
  },
  {
    name: 'run_keys',
    key: ['workflow_id', 'key'],
    kept: { key: 'It keeps a caller from starting a run twice, and is deleted with the run.' },
  },
  { name: 'dead_letters', key: ['id'], text: ['reason'], waits: isSettled('t.id') },
  {
    name: 'dead_letter_payloads',
    key: ['dead_letter_id'],
    json: ['payload'],
    caused: { column: 'dead_letter_id', type: 'bigint', by: 'deadLetters' },
    waits: isSettled('t.dead_letter_id'),
  },
  { name: 'error_groups', key: ['id'], text: ['message'] },
  {
    name: 'state_entries',
    key: ['namespace', 'key'],
    json: ['value'],
    deletes: 'key',
    derived:
      'size = octet_length(to_json(key)::text) + octet_length(value::text), version = version + 1, updated_at = now()',
  },
  {
    name: 'webhook_payloads',
    appendOnly: true,
    key: ['id'],
    json: ['body'],
    derived: 'size = octet_length(body)',
    caused: { column: 'id', type: 'bigint', by: 'payloads' },
    waits: isSent('t.id'),
  },
  {
    name: 'webhook_attempts',
    appendOnly: true,
    key: ['delivery_id', 'try'],
    json: ['response'],
    text: ['error'],
    caused: { column: 'delivery_id', type: 'bigint', by: 'deliveries' },
  },
  { name: 'webhook_deliveries', key: ['id'], text: ['reason'] },
  { name: 'webhook_queues', key: ['destination_id'], text: ['problem'] },
  { name: 'inbound_refusals', key: ['endpoint_id', 'hour', 'reason'], json: ['sample'] },
  {
    name: 'inbound_calls',
    key: ['endpoint_id', 'event_id'],
    kept: { event_id: 'It keeps a call from taking effect twice, and is deleted after thirty days.' },
  },
  {
    name: 'import_rows',
    key: ['job_id', 'n'],
    text: Array.from({ length: 16 }, (_, index) => `c${index + 1}`),
    waits: jobEnds('t.job_id'),
  },
  { name: 'import_rejects', key: ['job_id', 'line', 'id'], text: ['value', 'reason'], waits: jobEnds('t.job_id') },
  {
    name: 'import_event_sets',
    key: ['id'],
    json: ['data'],
    stays: 'The events of an import are being handed out: erase again in a minute.',
  },
  {
    name: 'bulk_jobs',
    key: ['id'],
    text: ['error'],
    kept: { absent_to: 'It says how far an import has come.' },
    waits: jobEnds('t.id'),
  },
  {
    name: 'bulk_actions',
    key: ['id'],
    json: ['given'],
    text: ['error', 'actor_email'],
    kept: { actor_sub: 'It names a user, not a contact.' },
  },
  {
    name: 'alert_messages',
    key: ['id'],
    json: ['content'],
    text: ['error'],
    waits: `CASE WHEN t.status IN ('pending', 'sending') THEN 'Alert message ' || t.id || ' is still to be sent.' END`,
  },
  { name: 'bulk_action_refusals', appendOnly: true, key: ['action_id', 'item'], text: ['reason'] },
  { name: 'saved_views', key: ['id'], json: ['filter'], kept: { name: written } },
  {
    name: 'uploads',
    key: ['id'],
    kept: { filename: 'It names a file, which is deleted a day after it was sent.' },
  },
  { name: 'transfer_files', key: ['id'], kept: { name: 'It keeps a file from being fetched twice.' } },
  {
    name: 'transfers',
    key: ['id'],
    text: ['last_error'],
    kept: { filename: written, pattern: written, path: written },
  },
  {
    name: 'organizations',
    key: ['id'],
    json: ['attributes', 'addresses'],
    kept: {
      name: 'The ERP owns it: change it there.',
      customer_number: 'The ERP owns it: change it there.',
      payment_terms: 'The ERP owns it: change it there.',
    },
  },
  { name: 'cost_centres', key: ['id'], text: ['name'], kept: { code: 'Orders are booked on it.' } },
  { name: 'products', key: ['id'], kept: { name: written, description: written }, json: ['attributes'] },
  {
    name: 'workflows',
    key: ['id'],
    json: ['blob'],
    text: ['description', 'revision_note', 'bundle_error'],
    kept: { name: written },
    stays: written,
  },
  { name: 'workflow_revisions', key: ['workflow_id', 'revision'], json: ['blob'], text: ['note'], stays: written },
  {
    name: 'workflow_bundles',
    key: ['id'],
    json: ['content'],
    stays: 'It is built of a workflow: change the workflow.',
  },
  { name: 'workflow_drafts', key: ['workflow_id'], json: ['blob', 'pins'], stays: written },
  { name: 'workflow_draft_versions', key: ['workflow_id', 'version'], json: ['blob'], stays: written },
  { name: 'triggers', key: ['id'], json: ['config'], kept: { name: written }, stays: written },
  { name: 'import_profiles', key: ['id'], json: ['mapping'], kept: { name: written }, stays: written },
  { name: 'stock_movements', key: ['id'], kept: { note: ledger, reference: ledger, reservation: ledger } },
  { name: 'stock_reservations', key: ['reference'], kept: { reference: ledger } },
  { name: 'payments', key: ['id'], kept: { reference: ledger } },
  { name: 'fulfillments', key: ['id'], kept: { reference: ledger } },
  {
    name: 'order_changes',
    appendOnly: true,
    key: ['id'],
    json: ['details'],
    text: ['actor_sub', 'actor_email'],
    caused: { column: 'order_id', type: 'bigint', by: 'orders' },
  },
  {
    name: 'order_positions',
    key: ['id'],
    text: ['text'],
    kept: { buyer_article_number: ledger, name: ledger, cost_centre: ledger },
  },
  {
    name: 'orders',
    key: ['id'],
    json: ['shipping_address', 'billing_address', 'attributes', 'sent'],
    text: ['customer_order_number'],
    kept: {
      external_key: 'It keeps an order from being placed twice.',
      erp_number: 'The ERP owns it: change it there.',
      channel: written,
    },
    caused: { column: 'id', type: 'bigint', by: 'orders' },
    waits: `CASE
      WHEN t.status IN ('pending', 'acknowledged') AND t.fulfillment_status IN ('unfulfilled', 'partially_fulfilled')
        THEN 'Order ' || t.number || ' is open: complete or cancel it.'
      ELSE coalesce(
        (SELECT 'Order ' || t.number || ' waits for run ' || r.id || ', which has not ended.' FROM order_changes c
          JOIN runs r ON r.tenant_id = c.tenant_id AND r.event_id = c.event_id AND r.status IN ('queued', 'running', 'waiting')
        WHERE c.tenant_id = t.tenant_id AND c.order_id = t.id ORDER BY r.id LIMIT 1),
        (SELECT 'Order ' || t.number || ' waits for delivery ' || d.id || ', which is still to be sent.' FROM order_changes c
          JOIN webhook_payloads p ON p.tenant_id = c.tenant_id AND p.event_id = c.event_id
          JOIN webhook_deliveries d ON d.tenant_id = p.tenant_id AND d.payload_id = p.id AND d.status IN ('pending', 'held')
        WHERE c.tenant_id = t.tenant_id AND c.order_id = t.id ORDER BY d.id LIMIT 1)) END`,
  },
];
