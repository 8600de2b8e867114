/** The stand-in's data of articles, in the terms of an ERP. */
export const stock: Record<string, string> = { 'CHAIR-01': '40', 'DESK-01': '12', 'LAMP-01': '0' };

export const prices = [
  { list: 'standard', article: 'CHAIR-01', from: '1', net: '89.00' },
  { list: 'standard', article: 'CHAIR-01', from: '10', net: '79.50' },
  { list: 'standard', article: 'DESK-01', from: '1', net: '349.00' },
];

export const customers = [
  {
    number: '10001',
    name: 'Miller Ltd',
    terms: '30 days net',
    address: { street: '1 High Street', zip: 'N1 9GU', city: 'London', country: 'GB' },
  },
  {
    number: '10002',
    name: 'Schmidt GmbH',
    terms: '14 days net',
    address: { street: 'Hauptstr. 5', zip: '80331', city: 'München', country: 'DE' },
  },
];

export const articles = [
  { article: 'CHAIR-01', name: 'Office chair', description: 'With armrests.', active: true, taxRate: '19' },
  { article: 'SHELF-01', name: 'Shelf', active: false, taxRate: '19' },
];
