import { hash } from 'node:crypto';
import { ConflictError } from '#src/infra/errors.ts';
import { exact } from '#src/infra/exact.ts';
import { canonicalJson } from '#src/infra/json.ts';
import type { NewOrder } from './orders.inputs.ts';

/** The content that a client sent for an order, as text by path, such as `positions.0.quantity`. Null and absent members are left out. */
export type SentContent = Record<string, string>;

/** Longer text is stored as its digest, so that addresses are not stored twice. */
const longestText = 44;
/** The number of differences that a message names. */
const maxNamed = 5;

/**
 * The content of an order as the client sent it: without prices that the server resolves. `2.0` equals `2`, and an explicit "without tax"
 * equals the default.
 */
export function toSentContent(
  { externalKey: _key, positions, ...rest }: NewOrder,
  buyer: { organizationId: bigint | null; contactId: bigint | null },
): SentContent {
  const content: SentContent = {};
  const add = (path: string, value: unknown) => {
    if (value == null) return;
    const text = typeof value === 'object' ? canonicalJson(value) : `${value as string | number | bigint | boolean}`;
    content[path] = text.length > longestText || typeof value === 'object' ? hash('sha256', text, 'base64') : text;
  };
  for (const [name, value] of Object.entries({ ...rest, ...buyer })) add(name, value);
  positions.forEach((position, index) => {
    const { quantity, unitPrice, taxIncluded, ...others } = position;
    const addHere = (name: string, value: unknown) => add(`positions.${index}.${name}`, value);
    addHere('quantity', exact(quantity).toFixed());
    if (unitPrice != null) addHere('unitPrice', exact(unitPrice).toFixed());
    if (taxIncluded) addHere('taxIncluded', true);
    for (const [name, value] of Object.entries(others)) addHere(name, value);
  });
  return content;
}

/** Throws a ConflictError that names the differences from the content of the first order with the key. */
export function assertSameContent(first: SentContent, given: SentContent): void {
  const differing = Object.keys({ ...first, ...given }).filter((path) => first[path] !== given[path]);
  if (differing.length === 0) return;
  const names = [...new Set(differing.map((path) => describePath(path, first, given)))];
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  throw new ConflictError(
    `The externalKey has been used for an order with other content: ${names.slice(0, maxNamed).join(', ')}${more} differ. ` +
      'Use a key for one order alone.',
  );
}

/** The path, or only the position if one of the two orders has none there. */
function describePath(path: string, first: SentContent, given: SentContent): string {
  const [position] = /^positions\.\d+/.exec(path) ?? [];
  const hasBoth = position === undefined || (`${position}.sku` in first && `${position}.sku` in given);
  return hasBoth ? path : position;
}
