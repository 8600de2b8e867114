import { germanFields } from './fields.de.ts';
import { language } from './language.ts';

/** Those that are called otherwise than in the graph. */
const englishFields: Readonly<Record<string, string>> = {
  createdAt: 'Created',
  updatedAt: 'Changed',
  kinds: 'Told of',
  expiringDays: 'Days before a credential expires',
  groupMinutes: 'Minutes between messages about one group',
  hourlyLimit: 'Messages an hour at most',
  isSigned: 'Signed',
  creditTimeoutMs: 'Credit timeout (ms)',
  runDays: 'Runs',
  stepDays: 'Steps',
  logDays: 'Logs',
  auditDays: 'Audit log',
};

/** The name of a member of the graph as a label: `billingAddress` is "Billing address". */
export function fieldWord(name: string): string {
  const known = (language === 'de' ? germanFields : englishFields)[name];
  if (known !== undefined) return known;
  const spaced = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/ id$/, '')
    .replaceAll(/\b(url|id|uid|sku|vat|sftp|http|erp|ip|csv|json)\b/g, (word) => word.toUpperCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
