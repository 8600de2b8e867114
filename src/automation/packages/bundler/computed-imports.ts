import { parse } from 'acorn';
import type { Node } from 'acorn';
import { transform } from 'esbuild';
import type { Loader, PartialMessage } from 'esbuild';
import { nodeBundleFormat } from './bundle-format.ts';

const advice = 'imports a computed path; name each module in an import of its own.';

/**
 * Checks one source file before it is bundled, for syntax errors and for imports with a computed path.
 *
 * esbuild turns `import('./' + name)` into a search of the host's folders without consulting plugins, and would bundle what
 * it finds, so such imports must be found first. esbuild prints the file as plain JavaScript and acorn parses that, since a
 * text search cannot see through comments and escapes.
 */
export async function importProblems(path: string, source: string, loader: Loader): Promise<PartialMessage[]> {
  if (!/import|require|\\u/.test(source)) return [];
  try {
    const { code } = await transform(source, {
      loader,
      sourcefile: path,
      target: nodeBundleFormat.target,
      tsconfigRaw: '{}',
      logLevel: 'silent',
    });
    const program = parse(code, { ecmaVersion: 2024, sourceType: 'module', allowReturnOutsideFunction: true });
    return hasComputedImport(program) ? [{ text: `"${path}" ${advice}` }] : [];
  } catch (error) {
    return listProblems(error, path);
  }
}

function listProblems(error: unknown, path: string): PartialMessage[] {
  if (error instanceof Error && 'errors' in error && Array.isArray(error.errors))
    return error.errors as PartialMessage[];
  return [
    {
      text: `"${path}" cannot be read as a module: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown'}.`,
    },
  ];
}

interface Call extends Node {
  callee: Node & { name?: string };
  arguments: Node[];
}

/** Walks with an explicit stack, since code may be nested deeper than the call stack allows. */
function hasComputedImport(program: Node): boolean {
  const open: unknown[] = [program];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (isComputedImport(node as Node)) return true;
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return false;
}

function isComputedImport(node: Node): boolean {
  if (node.type === 'ImportExpression') return !isText((node as Node & { source: Node }).source);
  if (node.type !== 'CallExpression') return false;
  const { callee, arguments: given } = node as Call;
  return callee.type === 'Identifier' && callee.name === 'require' && given[0] !== undefined && !isText(given[0]);
}

const isText = (node: Node): boolean =>
  node.type === 'Literal' && typeof (node as Node & { value: unknown }).value === 'string';
