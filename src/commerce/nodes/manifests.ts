import type { ConfigField, NodeManifest, Port } from '#src/automation/node-api/manifest.ts';
import { movementKinds } from '#src/commerce/stock/stock.inputs.ts';
import { formats } from '#src/imports/profiles/profiles.inputs.ts';
import { packageVersion } from './commerce-node.ts';

const node = (
  name: string,
  title: string,
  description: string,
  config: ConfigField[],
  outputs: Port[],
): NodeManifest => ({
  manifest_version: 'v0-draft',
  slug: `commerce:${name}`,
  version: packageVersion,
  name: title,
  description,
  kind: 'action',
  config,
  outputs,
  branches: ['default'],
});

const field = (
  key: string,
  type: ConfigField['type'],
  label: string,
  more: Omit<ConfigField, 'key' | 'type' | 'label'> = {},
): ConfigField => ({ key, type, label, ...more });

const required = { required: true } as const;
const oneOf = (...values: string[]) => ({ options: values.map((value) => ({ value })) });
const object = (name: string, description: string): Port => ({ name, type: 'object', description });

const orderId = field('order_id', 'string', 'Order', { ...required, help: 'The id of the order.' });
const order = [object('order', 'The order, as GET /v1/orders/{id} shows it.')];
const sku = field('sku', 'string', 'SKU', required);
const location = field('location', 'string', 'Location', { help: 'Left out: main.' });
const quantity = field('quantity', 'string', 'Quantity', { ...required, help: 'A decimal, e.g. 2.5.' });
const reference = field('reference', 'string', 'Reference', {
  help: 'The business key, unique in the tenant: a repeat has no effect. Left out: that of the step.',
});
const movement = [object('movement', 'The movement of the ledger.')];
const instant = (key: string, label: string, help?: string) =>
  field(key, 'string', label, { help: help ?? 'ISO 8601, e.g. 2026-01-31T12:00:00Z.' });

const job = [object('job', 'The bulk job, as the event of its end shows it: `id`, `status`, its rows and its error.')];

/** The nodes of package `commerce`, described for editors. */
export const commerceNodeManifests: readonly NodeManifest[] = [
  node(
    'get-order',
    'Get an order',
    'Reads an order with its positions and its buyer.',
    [orderId],
    [
      ...order,
      object('buyer', 'The organization that ordered, with `customer_number` and `contact`; null where there is none.'),
    ],
  ),
  node(
    'list-orders',
    'List orders',
    'Reads a page of the orders.',
    [
      field('status', 'json', 'Status', { help: 'pending, acknowledged, completed or cancelled; or a list of them.' }),
      instant('updated_since', 'Changed since', 'Changed at this instant or later; ISO 8601.'),
      field('held', 'boolean', 'Held', {
        help: 'Only those that are held, or only those that are not; all unless set.',
      }),
      field('limit', 'number', 'Most', { default: 25, help: '1 to 100.' }),
      field('offset', 'number', 'Pass over', { default: 0 }),
      field('after', 'json', 'After', { help: 'What the page before has as its next; in the same order.' }),
      field('order', 'string', 'Order', { default: 'created_at.desc', help: 'e.g. updated_at.asc' }),
    ],
    [
      { name: 'items', type: 'array', description: 'The orders of the page.' },
      { name: 'total', type: 'number', description: 'How many there are in all.' },
      { name: 'next', type: 'array', description: 'Where the next page begins; null after the last.' },
    ],
  ),
  node(
    'acknowledge-order',
    'Acknowledge an order',
    'Confirms that the ERP booked an order. Doing so again changes nothing.',
    [orderId, field('erp_number', 'string', 'Number in the ERP')],
    order,
  ),
  node(
    'cancel-order',
    'Cancel an order',
    'Cancels an order of which nothing was shipped, and releases its stock.',
    [orderId, field('reason', 'string', 'Reason')],
    order,
  ),
  node(
    'complete-order',
    'Complete an order',
    'Completes an order, and issues what it still reserves.',
    [orderId],
    order,
  ),
  node(
    'book-movement',
    'Book a stock movement',
    'Writes an entry of the stock ledger, once for each reference.',
    [
      sku,
      location,
      field('kind', 'select', 'Kind', { ...required, ...oneOf(...movementKinds) }),
      quantity,
      reference,
      field('note', 'string', 'Note'),
      field('reservation', 'string', 'Reservation', {
        help: 'For issue and release: the reference of the reserve whose reservation it uses up.',
      }),
      instant('expires_at', 'Expires at', 'For a reserve: when what is left of it is free again; ISO 8601.'),
      instant('occurred_at', 'Occurred at'),
    ],
    movement,
  ),
  node(
    'set-stock',
    'Set the stock',
    'Counts an article: states what is on hand at a location.',
    [sku, location, quantity, reference],
    movement,
  ),
  node(
    'upsert-price',
    'Set a price',
    'Sets the price of a list, SKU, quantity and start of validity.',
    [
      field('list', 'string', 'Price list', { ...required, help: 'Its code.' }),
      sku,
      field('quantity_from', 'string', 'From quantity', { help: 'Left out: 1.' }),
      field('amount', 'string', 'Amount', { ...required, help: 'For one unit, e.g. 19.90.' }),
      instant('valid_from', 'Valid from'),
      instant('valid_until', 'Valid until'),
    ],
    [object('price', 'The price row.')],
  ),
  node(
    'upsert-organization',
    'Set an organization',
    'Makes the organization of a customer number, or changes what is given of it.',
    [
      field('customer_number', 'string', 'Customer number', required),
      field('name', 'string', 'Name', { help: 'Needed for a new organization.' }),
      field('addresses', 'json', 'Addresses', {
        help: 'A list of {type, name, street, postal_code, city, country}, or one of these; it replaces the whole list. Nothing leaves it as it is.',
      }),
      field('payment_terms', 'string', 'Payment terms'),
    ],
    [object('organization', 'The organization.')],
  ),
  node(
    'upsert-product',
    'Set a product',
    'Makes the product of a SKU, or changes what is given of it.',
    [
      sku,
      field('name', 'string', 'Name', { help: 'Needed for a new product.' }),
      field('description', 'text', 'Description'),
      field('active', 'boolean', 'Sold'),
      field('tax_rate', 'string', 'Tax rate', { help: 'Percent of the net price, e.g. 19.' }),
      field('attributes', 'json', 'Attributes', { help: "Values of the tenant's attributes, by code." }),
    ],
    [object('product', 'The product.')],
  ),
  node(
    'resolve-price',
    'Resolve a price',
    'Finds the price of an article for a buyer, or of many with `items`.',
    [
      field('sku', 'string', 'SKU', { help: 'With `quantity`; or else `items`.' }),
      field('quantity', 'string', 'Quantity'),
      field('items', 'list', 'Items', { help: 'Each is {sku, quantity}; at most 200.' }),
      field('currency', 'string', 'Currency', { ...required, help: 'Three capitals, e.g. EUR.' }),
      field('customer', 'string', 'Customer number'),
      field('channel', 'string', 'Channel'),
      field('market', 'string', 'Market'),
      instant('at', 'At', 'When; left out: now.'),
    ],
    [
      { name: 'amount', type: 'string', description: 'For one unit.' },
      { name: 'currency', type: 'string' },
      { name: 'tax_included', type: 'boolean', description: 'Whether the amount includes the tax.' },
      { name: 'list', type: 'string', description: 'The code of the price list it is of.' },
      object('tier', '{quantity_from}: the smallest quantity that the price holds from.'),
      object('next_tier', '{quantity_from, amount} of the next larger quantity, or null.'),
      { name: 'trace', type: 'array', description: 'Every price list with the reason why it was or was not chosen.' },
      { name: 'items', type: 'array', description: 'The answers, where `items` was given.' },
    ],
  ),
  node(
    'start-import',
    'Import a file',
    'Starts a bulk import of a file by a profile, once for each step. import.completed or import.failed reports its end.',
    [
      field('file', 'expression', 'File', { ...required, help: 'A file reference from the outputs of a step.' }),
      field('profile', 'string', 'Import profile', { ...required, help: 'Its name.' }),
      field('dry_run', 'boolean', 'Dry run', { help: 'Does the same work and rolls it back.' }),
    ],
    job,
  ),
  node(
    'start-export',
    'Export to a file',
    'Starts a bulk export, once for each step. export.completed or export.failed reports its end.',
    [
      field('target', 'string', 'Target', {
        help: 'What to export, e.g. stock or orders. Left out: that of the profile.',
      }),
      field('format', 'select', 'Format', { ...oneOf(...formats), help: 'Left out: that of the profile, or csv.' }),
      field('profile', 'string', 'Import profile', { help: 'Its name; its mapping is reversed.' }),
      field('filter', 'json', 'Filter', { help: 'Values by field, e.g. {"location": "hall"}.' }),
    ],
    job,
  ),
  node(
    'get-export-file',
    'Get the file of an export',
    'Makes the file of a completed export a file of the run. Files of exports are kept for a day.',
    [field('export_id', 'string', 'Export', { ...required, help: 'The id of its bulk job.' })],
    [object('file', 'A file reference for other nodes.'), ...job],
  ),
];
