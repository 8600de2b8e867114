import { hash } from 'node:crypto';

/** Names of operations: lower-case words with dashes. */

const maxName = 64;
const digits = 6;

export interface NamedBy {
  /** What the description calls the operation, if it does. */
  id: string;
  method: string;
  path: string;
  /** Tells apart operations of one method and path. */
  more?: string;
}

/**
 * Unique names. A name depends upon its operation alone, so that the order of a description does not matter; only operations that would
 * have the same name get a hash of their method and path each.
 */
export function nameOperations(operations: readonly NamedBy[]): string[] {
  const wanted = operations.map(wantedName);
  const uses = Map.groupBy(wanted, (name) => name);
  return operations.map((operation, index) => {
    const name = wanted[index] ?? '';
    return uses.get(name)?.length === 1 ? name : withHash(name, source(operation));
  });
}

function wantedName(operation: NamedBy): string {
  const name = kebab(operation.id) || `${kebab(operation.method)}-${kebab(pathWords(operation.path))}`;
  const trimmed = name.replace(/-$/, '');
  return trimmed.length <= maxName && trimmed !== kebab(operation.method)
    ? trimmed
    : withHash(trimmed, source(operation));
}

const source = ({ id, method, path, more = '' }: NamedBy): string => JSON.stringify([method, path, id, more]);

/** `/orders/{id}` as `orders by id`. */
const pathWords = (path: string): string => path.replaceAll(/[{}]/g, (brace) => (brace === '{' ? ' by ' : ' '));

/** Words with dashes: `getOrderByID` and `Get order (by ID)` are `get-order-by-id`. Letters that ASCII lacks lose their accents or are left out. */
export const kebab = (text: string): string =>
  text
    .slice(0, 400)
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');

function withHash(name: string, from: string): string {
  const room = name.slice(0, maxName - digits - 1);
  const end = room.length < name.length ? room.lastIndexOf('-') : room.length;
  return `${room.slice(0, end > 0 ? end : room.length)}-${hash('sha256', from).slice(0, digits)}`;
}

/**
 * A name that is safe as a key and as text: itself where it is short and plain, else its plain characters and a hash of it. `__proto__` and
 * what else objects inherit is never safe.
 */
export function safeKey(name: string): string {
  if (/^[A-Za-z\d][\w.-]{0,63}$/.test(name) && !(name in {})) return name;
  const plain = name.replaceAll(/[^A-Za-z\d.-]+/g, '-');
  // The end of a long name of generated code tells more than its beginning, which is a namespace.
  const end = plain.length <= 50 ? plain : plain.slice(-50).replace(/^[^.-]*[.-]/, '');
  return `${end.replace(/^[^A-Za-z\d]+/, '').replace(/[.-]+$/, '') || 'name'}-${hash('sha256', name).slice(0, 8)}`;
}
