import { germanFields } from './fields.de.ts';
import { language } from './language.ts';

/** The name of a member of the graph as a label: `billingAddress` is "Billing address". */
export function fieldWord(name: string): string {
  const german = language === 'de' ? germanFields[name] : undefined;
  if (german !== undefined) return german;
  const spaced = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/ id$/, '')
    .replaceAll(/\b(url|id|uid|sku|vat|sftp|http|erp|ip|csv|json)\b/g, (word) => word.toUpperCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
