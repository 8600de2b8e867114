import type { ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';

/** Which operations become nodes: all, or those that fit each of the others. It is kept with the package, to make it again. */
export interface OperationChoice {
  all?: true;
  /** One of its tags is one of these, whatever their case. */
  tags?: string[];
  /** Its path is one of these, or below it. */
  paths?: string[];
  /** Each of these words is in its name, title, path or a tag. */
  search?: string;
}

export const isChoice = ({ all, tags = [], paths = [], search }: OperationChoice): boolean =>
  all === true || tags.length > 0 || paths.length > 0 || (search !== undefined && search !== '');

export function chooseOperations<Operation extends Pick<ApiOperation, 'name' | 'title' | 'path' | 'tags'>>(
  operations: readonly Operation[],
  { tags = [], paths = [], search = '' }: OperationChoice,
): Operation[] {
  const wanted = tags.map((tag) => tag.toLowerCase());
  const words = search.trim().toLowerCase().split(/\s+/);
  return operations.filter((operation) => {
    const own = operation.tags.map((tag) => tag.toLowerCase());
    const isTagged = wanted.length === 0 || own.some((tag) => wanted.includes(tag));
    const isUnder = paths.length === 0 || paths.some((path) => isAtOrBelow(operation.path, path));
    const told = [operation.name, operation.title, operation.path, ...own].join('\n').toLowerCase();
    return isTagged && isUnder && words.every((word) => told.includes(word));
  });
}

function isAtOrBelow(path: string, given: string): boolean {
  const base = given.replace(/\/+$/, '');
  return path === base || path.startsWith(`${base}/`);
}
