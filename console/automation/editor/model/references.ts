import { isObject } from './graph.ts';

const expressions = /\{\{[\s\S]*?\}\}/g;
const plain = /^[A-Za-z_]\w*$/;

/** A value in whose expressions `nodes.<from>` reads `nodes.<to>`, in either way to write it. */
export function renameInExpressions(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(expressions, (expression) => renameIn(expression, from, to));
  }
  if (Array.isArray(value)) return value.map((item) => renameInExpressions(item, from, to));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, renameInExpressions(member, from, to)]),
  );
}

function renameIn(expression: string, from: string, to: string): string {
  const escaped = from.replaceAll('-', '\\-');
  const reads = new RegExp(`\\bnodes(?:\\.${escaped}(?![\\w-])|\\[(["'])${escaped}\\1\\])`, 'g');
  return expression.replaceAll(reads, () => (plain.test(to) ? `nodes.${to}` : `nodes["${to}"]`));
}
