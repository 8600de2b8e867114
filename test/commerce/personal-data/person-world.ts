import pg from 'pg';
import { createContact, upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import type { TestApp } from '#test/setup/app.ts';

export const tenantId = 'acme-shop';

export interface Made {
  contact: number;
  order: number;
  event: string;
  run: number;
  delivery: number;
  job: number;
}

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** What the ERP is sent of an order: text of no format that the product knows. */
const erpXml = (name: string): string =>
  `<order><to>${capital(name)} Miller</to><street>${name} street 7</street></order>`;

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Runs a test in a tenant whose persons leave the same traces: contact, order, run, delivery, dead letter, import, state and audit. */
export async function withWorld(api: TestApp, work: (world: World) => Promise<void>): Promise<void> {
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  try {
    await work(await openWorld(api, owner));
  } finally {
    await owner.end();
  }
}

/** The same on a connection that row-level security does not stop. */
export async function openWorld(api: TestApp, owner: pg.Client) {
  const shop = createShop(api);
  const one = async (text: string, values: unknown[]): Promise<number> => {
    const { rows } = await owner.query<{ id: string }>(text, values);
    return Number(rows[0]?.id);
  };

  const organization = await upsertOrganization(api, { customerNumber: 'C-1', name: 'Buyers Ltd' });
  await shop.stocked('MUG', '1000');
  const workflow = await one(
    `WITH w AS (INSERT INTO workflows (tenant_id, name, blob, updated_at) VALUES ($1, 'Orders', '{}', now()) RETURNING tenant_id, id),
       b AS (INSERT INTO workflow_bundles (tenant_id, workflow_id, revision, content) SELECT tenant_id, id, 1, '{}' FROM w)
     SELECT id FROM w`,
    [tenantId],
  );
  const trigger = await one(
    `INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at) VALUES ($1, $2, 'event', 'Orders', now()) RETURNING id`,
    [tenantId, workflow],
  );
  const destination = await one(
    `INSERT INTO webhook_destinations (tenant_id, name, url, topics) VALUES ($1, 'ERP', 'https://erp.example.com', '{}') RETURNING id`,
    [tenantId],
  );
  await owner.query(
    `INSERT INTO state_namespaces (tenant_id, namespace) VALUES ($1, 'orders') ON CONFLICT DO NOTHING`,
    [tenantId],
  );

  /** Makes a person; its run, delivery and order have ended. */
  async function makePerson(name: string): Promise<Made> {
    const email = `${name}@example.com`;
    const contact = await createContact(api, {
      organizationId: organization.id,
      email,
      firstName: capital(name),
      lastName: 'Miller',
      role: 'buyer',
    });
    const address = {
      name: `${capital(name)} Miller`,
      street: `${name} street 7`,
      postalCode: '04103',
      city: 'Leipzig',
      country: 'DE',
    };
    const { order } = await shop.place({
      organizationId: organization.id,
      contactId: contact.id,
      externalKey: `web-${name.length}-${name.charCodeAt(0)}`,
      shippingAddress: address,
      billingAddress: address,
      positions: [{ sku: 'MUG', quantity: '3', unitPrice: '1.10' }],
    });
    await shop.act(order.databaseId, 'cancel', { reason: 'Withdrawn' });
    const { rows } = await owner.query<{ event_id: string; body: object }>(
      `SELECT e.event_id, jsonb_build_object('id', e.event_id, 'topic', e.topic, 'data', e.data) AS body FROM order_changes c
       JOIN outbox_events e ON e.event_id = c.event_id WHERE c.tenant_id = $1 AND c.order_id = $2 ORDER BY c.id LIMIT 1`,
      [tenantId, order.databaseId],
    );
    const [{ event_id: event, body }] = rows as [{ event_id: string; body: object }];
    const run = await one(
      `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, event_id, error, started_at, completed_at)
       SELECT $1, $2, b.id, 1, 'event', 'failed', $3, $4, now(), now() FROM workflow_bundles b WHERE b.workflow_id = $2 RETURNING id`,
      [tenantId, workflow, event, `No mailbox ${email.toUpperCase()}.`],
    );
    await owner.query('INSERT INTO run_payloads (tenant_id, run_id, payload) VALUES ($1, $2, $3)', [
      tenantId,
      run,
      body,
    ]);
    await owner.query('INSERT INTO run_results (tenant_id, run_id, result) VALUES ($1, $2, $3)', [
      tenantId,
      run,
      { total: 1.1, [email]: 'greeted' },
    ]);
    await owner.query(
      `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, inputs, outputs, calls, started_at)
       VALUES ($1, $2, 'send', 1, 'send', 'succeeded', $3, $4, $5, now())`,
      [
        tenantId,
        run,
        JSON.stringify({ body: erpXml(name), amount: 12.5 }),
        JSON.stringify({ customer: { first: capital(name), mail: email }, list: [`x${email}`, 'Other Miller'] }),
        JSON.stringify([{ url: `https://erp.example.com/c?mail=${encodeURIComponent(email)}`, status: 200 }]),
      ],
    );
    await owner.query(
      `INSERT INTO run_log_lines (tenant_id, run_id, step_path, attempt, level, message, at)
       VALUES ($1, $2, 'send', 1, 'info', $3, now()), ($1, $2, 'send', 1, 'info', 'Sent.', now())`,
      [tenantId, run, `Sent to ${capital(name)} Miller.`],
    );
    const payload = await one(
      `INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size) VALUES ($1, $2, 'order.created', $3::text, octet_length($3::text)) RETURNING id`,
      [tenantId, event, JSON.stringify(body)],
    );
    const delivery = await one(
      `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status) VALUES ($1, $2, $3, 'delivered') RETURNING id`,
      [tenantId, destination, payload],
    );
    await owner.query(
      `INSERT INTO webhook_attempts (tenant_id, delivery_id, try, status, http_code, duration_ms, response, at)
       VALUES ($1, $2, 1, 'delivered', 200, 5, $3, now())`,
      [tenantId, delivery, `Thanks, ${capital(name)} Miller`],
    );
    const letter = await one(
      `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason, status, event_id, updated_at)
       SELECT $1, $2, $3, 'event', handle, 'Not active.', 'discarded', $4, now() FROM triggers WHERE id = $3 RETURNING id`,
      [tenantId, workflow, trigger, event],
    );
    await owner.query('INSERT INTO dead_letter_payloads (tenant_id, dead_letter_id, payload) VALUES ($1, $2, $3)', [
      tenantId,
      letter,
      body,
    ]);
    const job = await one(
      `WITH u AS (INSERT INTO uploads (tenant_id, filename, content_type) VALUES ($1, 'contacts.csv', 'text/csv') RETURNING id)
       INSERT INTO bulk_jobs (tenant_id, target, profile, profile_name, upload_id, dry_run, status)
       SELECT $1, 'contacts', '{}', 'contacts', id, false, 'completed' FROM u RETURNING id`,
      [tenantId],
    );
    await owner.query(
      'INSERT INTO import_rows (tenant_id, job_id, n, line, faulty, c1, c2) VALUES ($1, $2, 1, 2, false, $3, $4)',
      [tenantId, job, 'C-1', email],
    );
    await owner.query(
      `INSERT INTO import_rejects (tenant_id, job_id, line, "column", value, reason) VALUES ($1, $2, 2, 'email', $3, 'Taken.')`,
      [tenantId, job, email],
    );
    await owner.query(
      `INSERT INTO state_entries (tenant_id, namespace, key, value, size) VALUES
       ($1, 'orders', $2, $3::json, octet_length(to_json($2::text)::text) + octet_length($3::text)),
       ($1, 'orders', $4, '{"count": 1e300}', octet_length(to_json($4::text)::text) + 16)`,
      [
        tenantId,
        `last-${order.databaseId}`,
        `{"sum": 123456789012345678901234567890.10, "mail": "${email.replace('@', String.raw`\u0040`)}"}`,
        `of/${email}`,
      ],
    );
    return { contact: contact.databaseId, order: order.databaseId, event, run, delivery, job };
  }

  return { owner, shop, organization, makePerson };
}
