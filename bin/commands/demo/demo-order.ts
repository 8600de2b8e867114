import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '#bin/command.ts';
import { demoOrder } from '#src/demo/demo-shop.ts';
import { demoWorkflowName } from '#src/demo/demo-workflow.ts';
import type { DemoClient } from './demo-client.ts';

interface DemoWorkflow {
  id: string;
  name: string;
  active: boolean;
  blob: { nodes: { node: string; config: { base_url?: string } }[] };
  bundle: { status: string; error: string | null };
  triggers: { type: string; active: boolean }[];
}

export interface PlacedOrder {
  id: string;
  databaseId: number;
  number: string;
  status: string;
  holdReason: string | null;
  erpNumber: string | null;
  placedAt: string;
  updatedAt: string;
  currency: string;
  totals: { gross: string };
  positions: { sku: string; quantity: string; unitPrice: string; location: string }[];
}

export interface DemoRun {
  databaseId: number;
  status: string;
  error: string | null;
  result: unknown;
  steps: { path: string; status: string }[];
}

interface FiredRun {
  id: string;
  status: string;
  payload: { data?: { id?: number } };
}

export interface Receipt {
  erpNumber: string;
  acknowledged: string | null;
  order: { externalNumber: string; platformId?: number; lines: { article: string; quantity: string }[] };
}

const patienceMs = { build: 15_000, run: 60_000, acknowledgement: 30_000 };
const noShop = `The demo shop or its workflow "${demoWorkflowName}" is gone or inactive. A first start on an empty DATA_DIR makes both.`;
const isOver = (status: string): boolean => ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status);

/** Polls, less and less often, until `look` finds something; undefined when the time is up. */
async function until<T>(ms: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = Date.now() + ms;
  for (let wait = 50; ; wait = Math.min(2_000, wait * 1.5)) {
    const found = await look();
    if (found !== undefined || Date.now() > deadline) return found;
    await delay(wait);
  }
}

/** The workflow that orders of the shop start, once it is built; a fresh start takes a moment. */
export async function findWorkflow(client: DemoClient): Promise<DemoWorkflow> {
  const document = `query ($name: String!) { workflows(filter: { search: $name }, first: 1) { edges { node {
    id name active blob bundle { status error } triggers { type active } } } } }`;
  const built = await until(patienceMs.build, async () => {
    const { workflows } = await client.query<{ workflows: { edges: { node: DemoWorkflow }[] } }>(document, {
      name: demoWorkflowName,
    });
    const found = workflows.edges[0]?.node;
    const listens = found?.triggers.some(({ type, active }) => type === 'EVENT' && active);
    if (!found?.active || !listens) throw new CommandError(noShop);
    if (found.bundle.status === 'FAILED') throw new CommandError(`${found.name} was not built: ${found.bundle.error}`);
    return found.bundle.status === 'READY' ? found : undefined;
  });
  if (!built) throw new CommandError(`${demoWorkflowName} is still being built; try again in a moment.`);
  return built;
}

const orderFields =
  'id databaseId number status holdReason erpNumber placedAt updatedAt currency totals { gross } positions { sku quantity unitPrice location }';

/** Places the demo's order for the demo's customer, as the shop's checkout does. */
export async function placeOrder(client: DemoClient): Promise<{ order: PlacedOrder; organization: string }> {
  const { currency, channel, customer, positions } = demoOrder;
  const { organizations } = await client.query<{ organizations: { edges: { node: { id: string; name: string } }[] } }>(
    'query ($customer: String) { organizations(filter: { customerNumber: $customer }) { edges { node { id name } } } }',
    { customer },
  );
  const organization = organizations.edges[0]?.node;
  if (!organization) throw new CommandError(noShop);
  const { createOrder } = await client.query<{ createOrder: { order?: PlacedOrder; message?: string } }>(
    `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
      ... on CreateOrderPayload { order { ${orderFields} } } ... on Error { message } } }`,
    { input: { currency, channel, positions, organizationId: organization.id } },
  );
  const { order, message } = createOrder;
  if (!order) throw new CommandError(`The shop refused the order: ${message}`);
  if (order.holdReason !== null) {
    throw new CommandError(`Order ${order.number} is held (${order.holdReason}); releaseOrder sends it to the ERP.`);
  }
  return { order, organization: organization.name };
}

/** The code of the price list that each position took its price from. */
export async function findPriceLists(client: DemoClient): Promise<string[]> {
  const { currency, channel, customer, positions: items } = demoOrder;
  const { resolvePrices } = await client.query<{ resolvePrices: { list: string | null }[] }>(
    `query ($items: [PricedItem!]!, $currency: String!, $channel: String, $customer: String) {
      resolvePrices(items: $items, currency: $currency, channel: $channel, customer: $customer) { list } }`,
    { items, currency, channel, customer },
  );
  return resolvePrices.map(({ list }) => list ?? 'no list');
}

/** The run that the order's event started, once it has ended. */
export async function findRun(client: DemoClient, workflow: DemoWorkflow, orderId: number): Promise<DemoRun> {
  const document = `query ($workflowId: ID!) { runs(filter: { workflowId: $workflowId, triggerType: EVENT }, first: 20) {
    edges { node { id status payload } } } }`;
  const ended = await until(patienceMs.run, async () => {
    const { runs } = await client.query<{ runs: { edges: { node: FiredRun }[] } }>(document, {
      workflowId: workflow.id,
    });
    const run = runs.edges.find(({ node }) => node.payload.data?.id === orderId)?.node;
    return run && isOver(run.status) ? run : undefined;
  });
  if (!ended)
    throw new CommandError(`No run of ${workflow.name} has ended for the order in 60 s; is a worker running?`);
  const { run } = await client.query<{ run: DemoRun }>(
    'query ($id: ID!) { run(id: $id) { databaseId status error result steps { path status } } }',
    { id: ended.id },
  );
  if (run.status === 'SUCCEEDED') return run;
  throw new CommandError(`Run ${run.databaseId} of ${workflow.name} is ${run.status}: ${run.error}`);
}

/** The order, once the ERP has acknowledged it; the order as it is if the ERP does not. */
export async function acknowledged(client: DemoClient, { id }: PlacedOrder): Promise<PlacedOrder> {
  const read = async () =>
    (await client.query<{ order: PlacedOrder }>(`query ($id: ID!) { order(id: $id) { ${orderFields} } }`, { id }))
      .order;
  const found = await until(patienceMs.acknowledgement, async () => {
    const order = await read();
    return order.erpNumber === null ? undefined : order;
  });
  return found ?? read();
}

/** The stand-in ERP's own receipt of the order, read from the ERP. */
export async function fetchReceipt({ blob }: DemoWorkflow, orderId: number): Promise<Receipt | null> {
  const erp = blob.nodes.find(({ node }) => node === 'erp:create-order')?.config.base_url;
  if (erp === undefined) return null;
  const response = await fetch(`${erp}/receipts`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  if (!response?.ok) return null;
  const { receipts } = (await response.json()) as { receipts: Receipt[] };
  return receipts.find(({ order }) => order.platformId === orderId) ?? null;
}
