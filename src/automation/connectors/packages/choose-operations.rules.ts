import type { ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';

/**
 * Selects the operations that become nodes: all of them, or those that match every other condition. It is stored with the package, so that
 * the package can be made again.
 */
export interface OperationChoice {
  all?: true;
  /** The operation has one of these tags; case does not matter. */
  tags?: string[];
  /** The operation's path is one of these or below one of them, also by a key of OData: `/Orders('A-1')` is below `/Orders`. */
  paths?: string[];
  /** The operation's name, title, path or tags contain each of these words. */
  search?: string;
  /** The operation has one of these names. */
  operations?: string[];
}

export const isChoice = ({ all, tags = [], paths = [], search = '', operations = [] }: OperationChoice): boolean =>
  all === true || tags.length > 0 || paths.length > 0 || search !== '' || operations.length > 0;

export function chooseOperations<Operation extends Pick<ApiOperation, 'name' | 'title' | 'path' | 'tags'>>(
  operations: readonly Operation[],
  { tags = [], paths = [], search = '', operations: names = [] }: OperationChoice,
): Operation[] {
  const named = new Set(names);
  const wanted = tags.map((tag) => tag.toLowerCase());
  const words = search.trim().toLowerCase().split(/\s+/);
  return operations.filter((operation) => {
    const own = operation.tags.map((tag) => tag.toLowerCase());
    const isTagged = wanted.length === 0 || own.some((tag) => wanted.includes(tag));
    const isUnder = paths.length === 0 || paths.some((path) => isAtOrBelow(operation.path, path));
    const isNamed = named.size === 0 || named.has(operation.name);
    const told = [operation.name, operation.title, operation.path, ...own].join('\n').toLowerCase();
    return isNamed && isTagged && isUnder && words.every((word) => told.includes(word));
  });
}

function isAtOrBelow(path: string, given: string): boolean {
  const base = given.replace(/\/+$/, '');
  return path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}(`);
}
