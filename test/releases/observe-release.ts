/** Runs a document of the graph as an admin of the demo tenant, and answers its data. */
export type Query = <Data>(document: string, variables?: Record<string, unknown>) => Promise<Data>;

/** Keys that sealed what the dumps hold. They protect nothing else. */
export const releaseKeys = {
  credentials: Buffer.alloc(32, 'release').toString('base64'),
  secrets: Buffer.alloc(32, 'secrets').toString('base64'),
};
/** What a credential and a tenant secret of the dumps hold. */
export const sealed = { token: 'token-of-the-release', secret: 'secret-of-the-release' };

/** A workflow whose runs wait to be told an address, and then call it with the credential and the tenant secret. */
export const waitingBlob = (credential: number) => ({
  version: 'v1',
  nodes: [
    { id: 'wait', node: 'core:wait', version: '1.0.0', config: { resume: true } },
    {
      id: 'call',
      node: 'core:http-request',
      version: '1.0.0',
      config: {
        method: 'POST',
        url: '{{ nodes.wait.outputs.data.url }}',
        body: { order: '{{ trigger.payload.order }}', secret: '{{ secrets.RELEASE }}' },
        credential,
      },
    },
    { id: 'answer', node: 'core:respond', version: '1.0.0', config: { value: '{{ nodes.call.outputs.body }}' } },
  ],
  edges: [
    { from: { node: 'wait' }, to: 'call' },
    { from: { node: 'call' }, to: 'answer' },
  ],
});

/** Everything that an upgrade must leave as it is, as a person would look at it: the fields of each list. */
const lists = {
  orders: `number status holdReason erpNumber currency channel paymentStatus fulfillmentStatus totals { net tax gross } taxes { rate net tax } positions { sku quantity unitPrice location } organization { customerNumber }`,
  stocks: `sku onHand reserved available reorderPoint locations { location onHand reserved }`,
  stockMovements: `sku kind quantity location reference`,
  products: `sku name taxRate attributes`,
  priceLists: `code currency priority channel customer prices(first: 20) { edges { node { sku amount quantityFrom } } }`,
  organizations: `customerNumber name paymentTerms addresses { type street postalCode city country } contacts(first: 10) { edges { node { email role approvalLimit } } } costCentres(first: 10) { edges { node { code name budget } } }`,
  webhookDestinations: `name url topics status filter headerNames ordered signing`,
  credentials: `name credentialTypeSlug status publicConfig`,
  secrets: `key`,
  apiKeys: `name scopes revokedAt`,
  installations: `status extension { vendor name version integrity manifest }`,
  themeInstallations: `theme { vendor name version title }`,
  workflows: `name active blob triggers { type name config active handle }`,
  runs: `databaseId workflowName status triggerType payload result error`,
};

/** The first page of each list: the demo has no more. */
export async function observeRelease(query: Query): Promise<Record<string, unknown[]>> {
  const observed: Record<string, unknown[]> = {};
  for (const [list, fields] of Object.entries(lists)) {
    const { page } = await query<{ page: { edges: { node: unknown }[] } }>(
      `{ page: ${list}(first: 40) { edges { node { ${fields} } } } }`,
    );
    observed[list] = page.edges.map(({ node }) => node);
  }
  return observed;
}
