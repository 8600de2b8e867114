import { hash } from 'node:crypto';

/** Names of operations: lower-case words with dashes. */

const maxName = 64;
const digits = 6;

export interface NamedBy {
  /** The description's own id of the operation; empty if it has none. */
  id: string;
  method: string;
  path: string;
  /** Distinguishes operations with the same method and path. */
  more?: string;
}

/**
 * Gives each operation a unique name. A name depends only on its operation, so the order of a description does not matter. Operations that
 * would share a name each get a hash of their method and path.
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
  const method = kebab(operation.method);
  const named = kebab(operation.id) || joinWords(method, kebab(pathWords(operation.path)));
  // Slugs begin with a letter, but ids may begin with a number, or have no letters that are kept.
  const name = /^[a-z]/.test(named) ? named : joinWords(method || 'message', named);
  return name.length <= maxName && named !== method ? name : withHash(name, source(operation));
}

const joinWords = (...words: string[]): string => words.filter((word) => word !== '').join('-');

const source = ({ id, method, path, more = '' }: NamedBy): string => JSON.stringify([method, path, id, more]);

/** Turns `/orders/{id}` into `orders by id`. */
const pathWords = (path: string): string => path.replaceAll(/[{}]/g, (brace) => (brace === '{' ? ' by ' : ' '));

/**
 * Joins words with dashes: `getOrderByID` and `Get order (by ID)` become `get-order-by-id`. Letters outside ASCII lose their accents or are
 * dropped.
 */
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
 * Makes a name safe as a key and as text. A short, plain name stays as it is; any other becomes its plain characters and a hash.
 * `__proto__` and other names that objects inherit are never safe.
 */
export function safeKey(name: string): string {
  if (/^[A-Za-z\d][\w.-]{0,63}$/.test(name) && !(name in {})) return name;
  const plain = name.replaceAll(/[^A-Za-z\d.-]+/g, '-');
  // Long names come from generated code and begin with a namespace, so the end says more than the beginning.
  const end = plain.length <= 50 ? plain : plain.slice(-50).replace(/^[^.-]*[.-]/, '');
  return `${end.replace(/^[^A-Za-z\d]+/, '').replace(/[.-]+$/, '') || 'name'}-${hash('sha256', name).slice(0, 8)}`;
}
