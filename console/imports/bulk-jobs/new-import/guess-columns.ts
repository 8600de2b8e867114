import type { Target } from './settings.ts';

/** Names that files of shops and ERP systems have for fields, in English and German, in small letters and without signs. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  sku: ['artikel', 'artikelnummer', 'artikelnr', 'artnr', 'article', 'articlenumber', 'item', 'itemnumber', 'number'],
  location: ['lager', 'lagerort', 'standort', 'warehouse'],
  quantity: ['menge', 'bestand', 'lagerbestand', 'anzahl', 'stock', 'qty', 'onhand'],
  list: ['preisliste', 'pricelist'],
  quantity_from: ['abmenge', 'mengeab', 'staffel', 'staffelmenge', 'minquantity'],
  amount: ['preis', 'price', 'betrag', 'nettopreis', 'vk'],
  currency: ['währung', 'waehrung'],
  valid_from: ['gültigab', 'gueltigab', 'gültigvon'],
  valid_until: ['gültigbis', 'gueltigbis'],
  customer_number: ['kundennummer', 'kundennr', 'kdnr', 'customer'],
  name: ['bezeichnung', 'titel', 'title', 'firma', 'company'],
  payment_terms: ['zahlungsziel', 'zahlungsbedingungen'],
  email: ['mail', 'emailadresse'],
  first_name: ['vorname'],
  last_name: ['nachname'],
  role: ['rolle', 'funktion'],
  description: ['beschreibung', 'text'],
  active: ['aktiv'],
};

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The columns that seem to be fields of a target, by field: those of its name, else those of another name for it. */
export function guessColumns(fields: Target['fields'], columns: readonly string[]): Record<string, string> {
  const byName = new Map(columns.toReversed().map((column) => [plain(column), column]));
  const found = fields.map(({ name }) => {
    const known = [plain(name), ...(synonyms[name] ?? [])].find((other) => byName.has(other));
    return [name, known === undefined ? undefined : byName.get(known)] as const;
  });
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Returns the target with the largest share of its required fields among the columns; the first target if no field matches. */
export function guessTarget(targets: readonly Target[], columns: readonly string[]): Target | undefined {
  const share = ({ fields }: Target) => {
    const found = guessColumns(fields, columns);
    const required = fields.filter(({ isRequired }) => isRequired);
    return required.filter(({ name }) => name in found).length / required.length;
  };
  return targets.toSorted((a, b) => share(b) - share(a))[0];
}
