import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse } from 'acorn';

/** Where a module's own text names another: the quotes included. */
interface Named {
  start: number;
  end: number;
  value: string;
}

/**
 * A TypeScript module as JavaScript that Node runs below `node_modules`, where it strips no types. Lines and columns stay. `rename` is
 * asked for what the module imports, and for the files that it names relative to itself.
 */
export function toPlainModule(source: string, rename: (specifier: string) => string): string {
  let text = stripTypeScriptTypes(source);
  for (const { start, end, value } of namedModules(text).toReversed())
    text = text.slice(0, start) + JSON.stringify(rename(value)) + text.slice(end);
  return text;
}

/** The literals by which a module names others: of its imports and exports, and of `new URL(…, import.meta.url)`. In their order. */
function namedModules(text: string): Named[] {
  const found: Named[] = [];
  const add = (node: unknown) => {
    if (!isNode(node) || node.type !== 'Literal') return;
    const { start, end, value } = node;
    if (typeof value === 'string') found.push({ start, end, value });
  };
  const visit = (node: AnyNode): void => {
    if ('source' in node) add(node.source);
    if (node.type === 'NewExpression' && node.callee.type === 'Identifier' && node.callee.name === 'URL')
      add(node.arguments[0]);
    for (const inner of Object.values(node).flat()) if (isNode(inner)) visit(inner);
  };
  visit(parse(text, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }));
  return found.toSorted((a, b) => a.start - b.start);
}

const isNode = (value: unknown): value is AnyNode => typeof value === 'object' && value !== null && 'type' in value;
