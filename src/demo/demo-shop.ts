/** The demo shop's products, customers and prices. */
export const material = { target: 'product', code: 'material', label: 'Material', type: 'select' } as const;
export const materials = ['oak', 'birch', 'steel', 'felt'];

interface Article {
  sku: string;
  name: string;
  material: string;
  /** The price of the list for everyone. */
  price: string;
  /** On hand in the warehouse (`main`) and in the shop (`store`). */
  main: string;
  store: string;
}

export const articles: Article[] = [
  { sku: 'CHAIR-01', name: 'Chair Jena', material: 'birch', price: '129.00', main: '5000', store: '40' },
  { sku: 'CHAIR-02', name: 'Armchair Weimar', material: 'oak', price: '219.00', main: '800', store: '12' },
  { sku: 'DESK-01', name: 'Desk Gera', material: 'oak', price: '349.00', main: '3000', store: '8' },
  { sku: 'DESK-02', name: 'Standing desk Gotha', material: 'steel', price: '589.00', main: '400', store: '5' },
  { sku: 'LAMP-01', name: 'Desk lamp Suhl', material: 'steel', price: '59.00', main: '5000', store: '60' },
  { sku: 'LAMP-02', name: 'Floor lamp Apolda', material: 'steel', price: '99.00', main: '600', store: '15' },
  { sku: 'SHELF-01', name: 'Shelf Erfurt', material: 'birch', price: '179.00', main: '900', store: '10' },
  { sku: 'SHELF-02', name: 'Bookcase Eisenach', material: 'oak', price: '329.00', main: '300', store: '4' },
  { sku: 'PANEL-01', name: 'Acoustic panel', material: 'felt', price: '45.50', main: '2000', store: '100' },
  { sku: 'MAT-01', name: 'Desk mat', material: 'felt', price: '24.90', main: '4000', store: '200' },
];

export const taxRate = '19';

/** Below these quantities the shop is told to reorder. */
export const reorderPoints = [
  { sku: 'CHAIR-01', reorderPoint: '100' },
  { sku: 'DESK-01', reorderPoint: '50' },
];

/** In the order of priority: the customer's agreed prices, then the web shop's, then everyone's. */
export const priceLists = [
  { code: 'bauer', name: 'Agreed with Bauer KG', customer: 'C-1001', priority: 20 },
  { code: 'web', name: 'Web shop', channel: 'web', priority: 10 },
  { code: 'base', name: 'Everyone' },
];

interface DemoPrice {
  list: string;
  sku: string;
  amount: string;
  quantityFrom?: string;
}

export const prices: DemoPrice[] = [
  ...articles.map(({ sku, price }) => ({ list: 'base', sku, amount: price })),
  { list: 'base', sku: 'CHAIR-01', amount: '119.00', quantityFrom: '10' },
  { list: 'web', sku: 'DESK-01', amount: '339.00' },
  { list: 'web', sku: 'LAMP-02', amount: '94.00' },
  { list: 'bauer', sku: 'CHAIR-01', amount: '115.00' },
  { list: 'bauer', sku: 'CHAIR-01', amount: '109.00', quantityFrom: '10' },
];

/** Organizations are owned by the ERP; contacts and cost centres by the shop. */
export const customers = [
  {
    organization: {
      customerNumber: 'C-1001',
      name: 'Bauer KG',
      addresses: [{ type: 'billing', street: 'Am Tor 1', postalCode: '04103', city: 'Leipzig', country: 'DE' }],
      paymentTerms: '30 days net',
    },
    contact: { email: 'buyer@bauer.example', firstName: 'Mia', lastName: 'Bauer', role: 'buyer' },
    costCentre: { code: 'OFFICE', name: 'Office furniture' },
  },
  {
    organization: {
      customerNumber: 'C-1002',
      name: 'Krone Hotels GmbH',
      addresses: [{ type: 'billing', street: 'Ring 20', postalCode: '07743', city: 'Jena', country: 'DE' }],
      paymentTerms: 'Prepaid',
    },
    contact: {
      email: 'purchasing@krone.example',
      firstName: 'Jo',
      lastName: 'Krone',
      role: 'purchaser',
      approvalLimit: '5000.00',
    },
    costCentre: { code: 'ROOMS', name: 'Rooms', budget: '20000.00' },
  },
] as const;

/** The order of `npm run demo` in the web shop for the first customer: each position takes its price from another list. */
export const demoOrder = {
  currency: 'EUR',
  channel: 'web',
  customer: customers[0].organization.customerNumber,
  positions: [
    { sku: 'CHAIR-01', quantity: '2' },
    { sku: 'DESK-01', quantity: '1' },
    { sku: 'LAMP-01', quantity: '3' },
  ],
};
