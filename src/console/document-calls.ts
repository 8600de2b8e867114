import { type CallExpression, type Expression, type Node, parse, type VariableDeclarator } from 'acorn';
import { transform } from 'esbuild';

/** A call of `graphql()` in a source of the console. */
export interface DocumentCall {
  file: string;
  text: string;
  /** The names of the constants in its second argument. */
  fragments: string[];
  /** The constant that holds the document, if one does. */
  name?: string;
}

/** Finds the documents of one file. Throws an error for one that is not written as literals. */
export async function findDocumentCalls(file: string, source: string): Promise<DocumentCall[]> {
  if (!/\bgraphql\s*\(/.test(source)) return [];
  // Acorn reads no types and no JSX.
  const { code } = await transform(source, {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    jsx: 'automatic',
    target: 'es2023',
    sourcefile: file,
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  const calls: DocumentCall[] = [];
  const visit = (node: Node, name?: string): void => {
    if (isDocumentCall(node)) calls.push({ ...readCall(node, file), ...(name !== undefined && { name }) });
    for (const child of childNodes(node)) visit(child, boundName(node));
  };
  visit(parse(code, { ecmaVersion: 2024, sourceType: 'module' }));
  return calls;
}

const isDocumentCall = (node: Node): node is CallExpression => {
  if (node.type !== 'CallExpression') return false;
  const { callee } = node as CallExpression;
  return callee.type === 'Identifier' && callee.name === 'graphql';
};

/** The name of the constant that a node declares. */
function boundName(node: Node): string | undefined {
  if (node.type !== 'VariableDeclarator') return undefined;
  const { id } = node as VariableDeclarator;
  return id.type === 'Identifier' ? id.name : undefined;
}

function childNodes(node: Node): Node[] {
  const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
  return Object.values(node)
    .flatMap((value: unknown) => value)
    .filter(isNode);
}

function readCall({ arguments: [text, fragments] }: CallExpression, file: string): Omit<DocumentCall, 'name'> {
  const literal = text && readText(text as Expression);
  const names = fragments ? readNames(fragments as Expression) : [];
  if (literal !== undefined && names) return { file, text: literal, fragments: names };
  throw new Error(
    `${file}: graphql() takes its text as a template without \${} and its fragments as an array of constants, because the build reads them from the source.`,
  );
}

/** The value of a template or a string; esbuild may have made one of the other. */
function readText(node: Expression): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

function readNames(node: Expression): string[] | undefined {
  if (node.type !== 'ArrayExpression') return undefined;
  const names = node.elements.flatMap((element) => (element?.type === 'Identifier' ? [element.name] : []));
  return names.length === node.elements.length ? names : undefined;
}
