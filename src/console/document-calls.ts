import { type CallExpression, type Expression, type Node, parse, type Program, type VariableDeclarator } from 'acorn';
import { transform } from 'esbuild';
import { type Operation, operations } from '#console/graph/operations.ts';

/** A call of `graphql()`, or of a maker of console/graph/documents.ts, in a source of the console. */
export interface DocumentCall {
  file: string;
  text: string;
  /** The names of the constants in its second argument. */
  fragments: readonly string[];
  /** The constant that holds the document, if one does. */
  name?: string;
}

/** Finds the documents of one file. Throws an error for one that is not written as literals. */
export async function findDocumentCalls(file: string, source: string): Promise<DocumentCall[]> {
  if (!/\b(graphql|rows|page|changes|mutation)\s*\(/.test(source)) return [];
  const calls: DocumentCall[] = [];
  const visit = (node: Node, name?: string): void => {
    const call = readDocument(node, file);
    if (call) calls.push({ file, ...call, ...(name !== undefined && { name }) });
    for (const child of childNodes(node)) visit(child, boundName(node));
  };
  visit(await parseModule(file, source));
  return calls;
}

/** The syntax of a file of the console, without its types and JSX, which Acorn does not read. */
export async function parseModule(file: string, source: string): Promise<Program> {
  const { code } = await transform(source, {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    jsx: 'automatic',
    target: 'es2023',
    sourcefile: file,
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  return parse(code, { ecmaVersion: 2024, sourceType: 'module' });
}

type Maker = 'graphql' | keyof typeof operations;

/** The document that a call makes; nothing of another node. */
function readDocument(node: Node, file: string): Omit<DocumentCall, 'file'> | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const { callee, arguments: given } = node as CallExpression;
  if (callee.type !== 'Identifier' || !isMaker(callee.name)) return undefined;
  const [first, second, third] = given as Expression[];
  const document = read(callee.name, first, second, third);
  if (document) return document;
  throw new Error(
    `${file}: ${callee.name}() takes its texts as literals without \${} and its fragments as constants, a list of them in brackets, because the build reads them from the source.`,
  );
}

const isMaker = (name: string): name is Maker => name === 'graphql' || name in operations;

function read(maker: Maker, ...[first, second, third]: (Expression | undefined)[]): Operation | undefined {
  const text = first && readText(first);
  if (text === undefined) return undefined;
  if (maker === 'graphql') {
    const fragments = second ? readNames(second) : [];
    return fragments && { text, fragments };
  }
  if (maker === 'mutation') {
    const selection = second && readText(second);
    const fragments = third ? readNames(third) : [];
    return selection === undefined || !fragments ? undefined : operations.mutation(text, selection, fragments);
  }
  return second?.type === 'Identifier' ? operations[maker](text, second.name) : undefined;
}

/** The name of the constant that a node declares. */
function boundName(node: Node): string | undefined {
  if (node.type !== 'VariableDeclarator') return undefined;
  const { id } = node as VariableDeclarator;
  return id.type === 'Identifier' ? id.name : undefined;
}

export function childNodes(node: Node): Node[] {
  const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
  return Object.values(node)
    .flatMap((value: unknown) => value)
    .filter(isNode);
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
