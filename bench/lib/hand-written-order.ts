import type pg from 'pg';

/** Places an order of these articles, one piece each. */
export type PlaceByHand = (skus: string[]) => Promise<void>;

/**
 * A hand-written order without a product around it: one transaction of 14 statements through `pg`, each of them prepared, on the product's
 * own tables. It prices three positions, reserves their stock under sorted row locks, and writes ledger, reservations, events and audit
 * entry. It has no tenants, no attributes, no credit, no approval and no history, and computes with floats.
 */
export function handWrittenOrders(
  pool: pg.Pool,
  { orgId, tenantId }: { orgId: string; tenantId: string },
): PlaceByHand {
  return async (skus) => {
    const client = await pool.connect();
    const query = (name: string, text: string, values: unknown[] = []) => client.query({ name, text, values });
    try {
      await client.query('BEGIN');
      const lines: { sku: string; name: string; rate: number; amount: number }[] = [];
      for (const sku of skus) {
        const { rows } = await query(
          'by-hand-price',
          `SELECT p.sku, p.name, p.tax_rate::float8 AS rate, c.amount::float8 AS amount
           FROM products p JOIN prices c ON c.tenant_id = p.tenant_id AND c.sku = p.sku
           JOIN price_lists l ON l.tenant_id = c.tenant_id AND l.id = c.list_id
           WHERE p.tenant_id = $1 AND p.sku = $2 AND p.active AND l.currency = 'EUR' AND l.customer IS NULL
             AND l.channel IS NULL AND l.market IS NULL AND c.quantity_from <= 1
             AND (l.valid_from IS NULL OR l.valid_from <= now()) AND (l.valid_until IS NULL OR l.valid_until > now())
           ORDER BY l.priority DESC, c.quantity_from DESC LIMIT 1`,
          [tenantId, sku],
        );
        lines.push(rows[0]);
      }
      const net = lines.reduce((sum, { amount }) => sum + amount, 0);
      const tax = lines.reduce((sum, { amount, rate }) => sum + (amount * rate) / 100, 0);
      const { rows: numbers } = await query('by-hand-number', `SELECT nextval('by_hand_numbers')::int AS number`);
      const { number } = numbers[0];
      const { rows: orders } = await query(
        'by-hand-order',
        `INSERT INTO orders (tenant_id, number, currency, net, tax, gross, placed_at, created_at, updated_at)
         VALUES ($1, $2, 'EUR', $3, $4, $5, now(), now(), now()) RETURNING id`,
        [tenantId, number, net.toFixed(2), tax.toFixed(2), (net + tax).toFixed(2)],
      );
      const orderId = orders[0].id;
      const { rows: positions } = await query(
        'by-hand-positions',
        `INSERT INTO order_positions (tenant_id, order_id, line, sku, name, location, quantity, unit_price, tax_rate, line_total, tax, reserved)
         SELECT $1, $2, n, sku, name, 'main', 1, amount, rate, amount, amount * rate / 100, 1
         FROM unnest($3::text[], $4::text[], $5::numeric[], $6::numeric[]) WITH ORDINALITY AS p(sku, name, amount, rate, n)
         RETURNING id`,
        [
          tenantId,
          orderId,
          ...(['sku', 'name', 'amount', 'rate'] as const).map((key) => lines.map((line) => line[key])),
        ],
      );
      const references = positions.map(({ id }) => `order-position:${id}`);
      const { rows: held } = await query(
        'by-hand-lock',
        `SELECT sku, on_hand - reserved AS available FROM stock_balances
         WHERE tenant_id = $1 AND sku = ANY($2) AND location = 'main' ORDER BY sku FOR UPDATE`,
        [tenantId, skus],
      );
      if (held.length < skus.length || held.some(({ available }) => Number(available) < 1))
        throw new Error('Sold out.');
      await query(
        'by-hand-balances',
        `UPDATE stock_balances SET reserved = reserved + 1 WHERE tenant_id = $1 AND sku = ANY($2) AND location = 'main'`,
        [tenantId, skus],
      );
      await query(
        'by-hand-movements',
        `INSERT INTO stock_movements (tenant_id, sku, location, kind, quantity, delta, reserved_delta, reference, occurred_at, created_at)
         SELECT $1, sku, 'main', 'reserve', 1, 0, 1, reference, now(), now() FROM unnest($2::text[], $3::text[]) AS m(sku, reference)`,
        [tenantId, skus, references],
      );
      await query(
        'by-hand-reservations',
        `INSERT INTO stock_reservations (tenant_id, reference, sku, location, remaining)
         SELECT $1, reference, sku, 'main', 1 FROM unnest($2::text[], $3::text[]) AS m(sku, reference)`,
        [tenantId, skus, references],
      );
      const events = [
        { topic: 'order.created', data: { id: orderId, number, net, tax, lines } },
        ...skus.map((sku, line) => ({
          topic: 'stock.changed',
          data: { sku, location: 'main', reference: references[line] },
        })),
      ];
      await query(
        'by-hand-events',
        `INSERT INTO outbox_events (tenant_id, topic, data)
         SELECT $1, topic, data FROM jsonb_to_recordset($2::jsonb) AS e(topic text, data jsonb)`,
        [tenantId, JSON.stringify(events)],
      );
      await query(
        'by-hand-audit',
        `INSERT INTO audit_entries (org_id, tenant_id, actor_sub, actor_email, via_system, channel, action, resource_type, resource_id, metadata)
         VALUES ($1, $2, 'bench', 'bench@example.com', false, 'api', 'create', 'order', $3, $4)`,
        [orgId, tenantId, orderId, JSON.stringify({ number })],
      );
      await client.query('COMMIT');
      client.release();
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  };
}
