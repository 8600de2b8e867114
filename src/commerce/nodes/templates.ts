import type { TemplateManifest, TemplatePlaceholder } from '#src/automation/node-api/manifest.ts';
import { packageVersion } from './commerce-node.ts';

type Edge = [from: string, to: string, branch?: string];

/** Templates that connect a shop to an ERP. Add a trigger to each: an event, or a schedule. */
const template = (
  name: string,
  title: string,
  description: string,
  address: Pick<TemplatePlaceholder, 'key' | 'label' | 'help'>,
  [nodes, ...edges]: [nodes: object[], ...edges: Edge[]],
  more: object = {},
): TemplateManifest => ({
  slug: `commerce:${name}`,
  version: packageVersion,
  name: title,
  description,
  placeholders: [
    { ...address, kind: 'value', required: true },
    {
      key: 'erp',
      kind: 'credential',
      label: 'Credential of the ERP',
      required: false,
      credential_types: ['core:bearer', 'core:basic', 'core:api-key', 'core:oauth2'],
    },
  ],
  blob: {
    version: 'v1',
    nodes,
    edges: edges.map(([node, to, branch = 'default']) => ({ from: { node, branch }, to })),
    ...more,
  },
});

const placeholder = (key: string) => ({ $placeholder: key });
const retry = { limit: 5, delay_ms: 1_000, backoff: 'exponential', max_delay_ms: 60_000 };
const step = (id: string, node: string, config: object, more: object = {}) => ({
  id,
  node,
  version: '1.0.0',
  config,
  on_error: 'fail',
  ...more,
});

/** Reads the order whose id the expression yields, with its buyer. */
const read = (id: string) => step('order', 'commerce:get-order', { order_id: `{{ ${id} }}` });

const order = 'nodes.order.outputs.order';
const buyer = 'nodes.order.outputs.buyer';
const addressTemplate = (name: string) =>
  `{{ ${order}.${name}_address ? ${order}.${name}_address.{ "name": name, "street": street, "zip": postal_code, "city": city, "country": country } : null }}`;

/**
 * Sends the complete order that was read. The idempotency key is the order's own random uid, so that an order that is sent twice is booked
 * once.
 */
const send = () =>
  step(
    'send',
    'core:http-request',
    {
      method: 'POST',
      url: placeholder('orders_url'),
      credential: placeholder('erp'),
      headers: { 'Idempotency-Key': `order-{{ ${order}.uid }}` },
      body: {
        externalNumber: `{{ ${order}.number }}`,
        customerOrderNumber: `{{ ${order}.customer_order_number }}`,
        orderedAt: `{{ ${order}.placed_at }}`,
        channel: `{{ ${order}.channel }}`,
        customer: `{{ ${buyer} ? ${buyer}.{ "number": customer_number, "name": name, "terms": payment_terms, "email": contact.email } : null }}`,
        shippingAddress: addressTemplate('shipping'),
        billingAddress: addressTemplate('billing'),
        currency: `{{ ${order}.currency }}`,
        net: `{{ ${order}.totals.net }}`,
        tax: `{{ ${order}.totals.tax }}`,
        gross: `{{ ${order}.totals.gross }}`,
        lines: `{{ [${order}.positions.{ "article": sku, "name": name, "quantity": quantity, "unitPrice": unit_price, "taxIncluded": tax_included, "net": line_total, "taxRate": tax_rate, "costCentre": cost_centre, "buyerArticle": buyer_article_number, "text": text }] }}`,
      },
    },
    { retry },
  );

const acknowledge = () =>
  step('acknowledge', 'commerce:acknowledge-order', {
    order_id: `{{ ${order}.id }}`,
    erp_number: '{{ nodes.send.outputs.body.erpNumber }}',
  });

const ordersUrl = {
  key: 'orders_url',
  label: 'Where the ERP takes orders',
  help:
    'It is sent {externalNumber, customer, shippingAddress, billingAddress, currency, net, tax, gross, ' +
    'lines: [{article, quantity, unitPrice, taxIncluded, net, taxRate}]} and more, and answers {erpNumber}.',
};

const results = 'nodes.each.outputs.results';

/** Runs `body` for each item and continues after failures, but fails if all items fail: nothing was exchanged then. */
const forEach = (items: string, concurrency: number, body: object): [object[], ...Edge[]] => [
  [
    step('each', 'core:for-each', { items, concurrency, on_error: 'continue', body }),
    step('all-failed', 'core:if', {
      condition: `$count(${results}) > 0 and $count(${results}.error) = $count(${results})`,
    }),
    step('fail', 'core:fail', {
      message: `All {{ $count(${results}) }} items failed. The first: {{ ${results}[0].error }}`,
    }),
  ],
  ['each', 'all-failed'],
  ['all-failed', 'fail', 'true'],
];

/** Reads a list of the ERP, and processes each of its items. */
const readEach = (urlKey: string, write: object): [object[], ...Edge[]] => {
  const list = step(
    'read',
    'core:http-request',
    { method: 'GET', url: placeholder(urlKey), credential: placeholder('erp') },
    { retry },
  );
  const [nodes, ...edges] = forEach('{{ nodes.read.outputs.body.items }}', 10, { nodes: [write], edges: [] });
  return [[list, ...nodes], ['read', 'each'], ...edges];
};

/** The state key for the end of the previous run's page. */
const progress = { namespace: 'commerce-orders-reconciliation', key: 'after' };

/** Sends the orders that the ERP lacks. */
const sendMissing = (): [object[], ...Edge[]] => {
  const last = step('last', 'core:state-get', progress);
  // A held order is not sent before it is released, and must not displace one that is due.
  const list = step('list', 'commerce:list-orders', {
    status: 'pending',
    held: false,
    limit: 100,
    after: '{{ nodes.last.outputs.value }}',
    order: 'created_at.asc',
  });
  // The next run continues after these orders, or starts over: orders that the ERP refuses must not delay later ones. Saved before they are
  // sent, so that this also holds if this run fails, is cancelled or takes longer than an hour.
  const save = step('save', 'core:state-set', { ...progress, value: '{{ nodes.list.outputs.next }}' });
  const [nodes, ...edges] = forEach('{{ nodes.list.outputs.items }}', 5, {
    nodes: [read('item.id'), send(), acknowledge()],
    edges: [
      { from: { node: 'order', branch: 'default' }, to: 'send' },
      { from: { node: 'send', branch: 'default' }, to: 'acknowledge' },
    ],
  });
  return [[last, list, save, ...nodes], ['last', 'list'], ['list', 'save'], ['save', 'each'], ...edges];
};

export const commerceTemplates: readonly TemplateManifest[] = [
  template(
    'orders-out',
    'Orders to the ERP',
    'Sends an order to the ERP and acknowledges it with the number there. Add an event trigger for order.created.',
    ordersUrl,
    [
      [read('trigger.payload.data.id'), send(), acknowledge()],
      ['order', 'send'],
      ['send', 'acknowledge'],
    ],
  ),
  template(
    'orders-reconciliation',
    'Orders that the ERP lacks',
    'Sends orders that nobody has acknowledged, a hundred at a time, the oldest first. Add a schedule, for example every hour.',
    ordersUrl,
    sendMissing(),
    { state: { namespaces: { [progress.namespace]: 'read_write' } } },
  ),
  template(
    'stock-in',
    'Stock from the ERP',
    'Counts what the ERP has of each article. Add a schedule. For more than 10,000 articles, import a file instead.',
    { key: 'stock_url', label: 'Where the ERP lists its stock', help: 'It answers {items: [{article, onHand}]}.' },
    readEach(
      'stock_url',
      step('set', 'commerce:set-stock', { sku: '{{ item.article }}', quantity: '{{ item.onHand }}' }),
    ),
  ),
  template(
    'prices-in',
    'Prices from the ERP',
    'Sets the prices that the ERP lists. Add a schedule. The price lists must be there.',
    {
      key: 'prices_url',
      label: 'Where the ERP lists its prices',
      help: 'It answers {items: [{list, article, from, net}]}; `net` includes the tax where the prices of the list do.',
    },
    readEach(
      'prices_url',
      step('set', 'commerce:upsert-price', {
        list: '{{ item.list }}',
        sku: '{{ item.article }}',
        quantity_from: '{{ item.from }}',
        amount: '{{ item.net }}',
      }),
    ),
  ),
  template(
    'products-in',
    'Products from the ERP',
    'Makes and changes the products that the ERP lists. Add a schedule. For more than 10,000 articles, import a file instead.',
    {
      key: 'products_url',
      label: 'Where the ERP lists its articles',
      help: 'It answers {items: [{article, name, description, active, taxRate}]}.',
    },
    readEach(
      'products_url',
      step('set', 'commerce:upsert-product', {
        sku: '{{ item.article }}',
        name: '{{ item.name }}',
        description: '{{ item.description }}',
        active: '{{ item.active }}',
        tax_rate: '{{ item.taxRate }}',
      }),
    ),
  ),
  template(
    'customers-in',
    'Customers from the ERP',
    'Makes and changes the organizations that the ERP lists. Add a schedule.',
    {
      key: 'customers_url',
      label: 'Where the ERP lists its customers',
      help: 'It answers {items: [{number, name, terms, address: {street, zip, city, country}}]}.',
    },
    readEach(
      'customers_url',
      step('set', 'commerce:upsert-organization', {
        customer_number: '{{ item.number }}',
        name: '{{ item.name }}',
        payment_terms: '{{ item.terms }}',
        addresses:
          '{{ [{ "type": "billing", "street": item.address.street, "postal_code": item.address.zip, "city": item.address.city, "country": item.address.country }] }}',
      }),
    ),
  ),
];
