/** The organisation and tenant that the first start creates, with their contents. */
export const demoOrg = { id: 'demo-org', name: 'Demo organisation' };
export const demoTenant = { id: 'demo', name: 'Demo shop' };
export const demoWorkflowName = 'Order to ERP';

/** An order as another shop sends it to the webhook; the workflow's first node maps it. */
export const sampleOrder = (number: string) => ({
  order_no: number,
  currency: 'EUR',
  items: [
    { article: 'CHAIR-01', qty: 2, price: '129.00' },
    { article: 'DESK-01', qty: 1, price: '349.00' },
  ],
});

/**
 * An order of our own shop arrives as the event, in the format that the ERP's node takes; another shop's order is mapped to that format.
 */
const orderOfTrigger = `{{
  trigger.type = 'event' ? trigger.payload.data : trigger.payload.body.{
    'number': order_no,
    'currency': currency,
    'positions': [items.{ 'sku': article, 'quantity': $string(qty), 'unit_price': price }]
  }
}}`;

/** Take the order, create it in the ERP over HTTP, return the ERP's number. */
export const demoBlob = (erpUrl: string) => ({
  version: 'v1',
  nodes: [
    {
      id: 'map_order',
      node: 'core:set',
      version: '1.0.0',
      config: { values: { order: orderOfTrigger } },
      position: { x: 0, y: 0 },
    },
    {
      id: 'create_order',
      node: 'erp:create-order',
      version: '1.0.0',
      config: { base_url: erpUrl, order: '{{ nodes.map_order.outputs.order }}', warehouse: 'MAIN' },
      retry: { limit: 5, delay_ms: 500, backoff: 'exponential', max_delay_ms: 30_000 },
      timeout_ms: 20_000,
      position: { x: 240, y: 0 },
    },
    {
      id: 'answer',
      node: 'core:respond',
      version: '1.0.0',
      config: {
        value: {
          order: '{{ nodes.map_order.outputs.order.number }}',
          erp_number: '{{ nodes.create_order.outputs.erp_number }}',
        },
      },
      position: { x: 480, y: 0 },
    },
  ],
  edges: [
    { from: { node: 'map_order', branch: 'default' }, to: 'create_order' },
    { from: { node: 'create_order', branch: 'default' }, to: 'answer' },
  ],
});
