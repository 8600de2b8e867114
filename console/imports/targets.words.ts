import { words } from '#console/words/words.ts';

const names: Readonly<Record<string, string>> = words<Record<string, string>>({
  en: {
    stock: 'Stock',
    prices: 'Prices',
    organizations: 'Customers',
    contacts: 'Contacts',
    products: 'Products',
    orders: 'Orders',
  },
  de: {
    stock: 'Bestände',
    prices: 'Preise',
    organizations: 'Kunden',
    contacts: 'Ansprechpartner',
    products: 'Artikel',
    orders: 'Aufträge',
  },
});

/** The records that files hold, in words. */
export const targetName = (target: string): string => names[target] ?? target;

/** What can be exported. */
export const exportTargets = Object.entries(names).map(([value, label]) => ({ value, label }));

/** What can be imported. */
export const importTargets = exportTargets.filter(({ value }) => value !== 'orders');
