import { createHash } from 'node:crypto';
import { SourceMap } from 'node:module';
import { type Node, parse } from 'acorn';
import { type Message, transform } from 'esbuild';
import { LRUCache } from 'lru-cache';
import type { TextPlace } from '#src/automation/node-api/builtin-node.ts';
import { nodeBundleFormat } from '#src/automation/packages/bundler/bundle-format.ts';
import { isEsbuildLost, withEsbuild } from '#src/infra/esbuild-process.ts';
import { type CodeReads, findReads, hasImport, scopeNames } from './code-reads.ts';

export interface CodeFault {
  message: string;
  place?: TextPlace;
}

/** The compiled text of a code node. */
export interface CompiledCode {
  /** SHA-256 of `source`, hexadecimal. */
  hash: string;
  source: string;
  reads: CodeReads;
  /** Maps a place in `source` to the author's text; undefined if it is not in that text. Both count from 1. */
  findPlace(line: number, column: number): TextPlace | undefined;
}

export type Compilation = { ok: true; code: CompiledCode } | { ok: false; faults: CodeFault[] };

/** Results by the author's text. A compiled text takes about four times its size. */
const known = new LRUCache<string, Compilation>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (_made, text) => 1_000 + 4 * text.length,
});

/**
 * Compiles the text of a code node: the TypeScript body of an async function. Types are removed and not checked. Never throws because of
 * the text.
 */
export async function compileCode(text: string): Promise<Compilation> {
  const found = known.get(text);
  if (found) return found;
  const made = await compile(text);
  known.set(text, made);
  return made;
}

/** Passes the names as parameters and wraps the text in a block, so that the text may declare variables with the same names. */
const opening = `async function __code({ ${scopeNames.join(', ')} }) {{\n`;
const strict = '"use strict";';
const maxFaults = 5;

async function compile(text: string): Promise<Compilation> {
  const lines = text.split('\n').length;
  try {
    const { code, map } = await withEsbuild(() =>
      transform(`${opening}${text}\n}}`, {
        loader: 'ts',
        target: nodeBundleFormat.target,
        charset: 'utf8',
        legalComments: 'none',
        sourcemap: 'external',
        sourcesContent: false,
        banner: strict,
        footer: `var ${nodeBundleFormat.globalName} = { run: __code };`,
        tsconfigRaw: '{}',
        logLevel: 'silent',
      }),
    );
    const body = findBody(parse(code, { ecmaVersion: 2024 }));
    if (!body) return refuse('A "}" ends the code before its last line; remove it.');
    if (hasImport(body)) return refuse('Code cannot import modules: use what is in scope.');
    const places = new SourceMap(JSON.parse(map));
    return {
      ok: true,
      code: {
        hash: createHash('sha256').update(code).digest('hex'),
        source: code,
        reads: findReads(body),
        findPlace(line, column) {
          const found = places.findEntry(line - 1, column - 1);
          if (!('originalLine' in found)) return undefined;
          // The line before the text is the opening.
          const place = { line: found.originalLine, column: found.originalColumn + 1 };
          return place.line >= 1 && place.line <= lines ? place : undefined;
        },
      },
    };
  } catch (error) {
    if (error instanceof Error && 'errors' in error && Array.isArray(error.errors))
      return { ok: false, faults: error.errors.slice(0, maxFaults).map((each: Message) => toFault(each, text)) };
    if (isEsbuildLost(error) || error instanceof RangeError || isStackFull(error))
      return refuse('The code is nested too deeply.');
    // Acorn is stricter than esbuild, in regular expressions.
    if (error instanceof SyntaxError) return refuse(error.message.replace(/ \(\d+:\d+\)$/, '.'));
    throw error;
  }
}

/** Acorn calls this a syntax error. */
const isStackFull = (error: unknown): boolean =>
  error instanceof SyntaxError && error.message.startsWith('Not enough stack space');

const refuse = (message: string): Compilation => ({ ok: false, faults: [{ message }] });

function toFault({ text: message, location }: Message, text: string): CodeFault {
  if (!location) return { message: `${message}.` };
  const lines = text.split('\n');
  // A missing brace is only noticed after the end of the text.
  const isBehind = location.line - 1 > lines.length;
  const line = isBehind ? lines.length : Math.max(1, location.line - 1);
  const at = lines[line - 1] ?? '';
  const hint = /^\s*(?:import|export)\b/.test(at)
    ? ' The code is the body of a function: it uses what is in scope and returns its result, and has no imports or exports.'
    : '';
  if (isBehind)
    return {
      message: 'The code ends too early: a bracket or a quote is not closed.',
      place: { line, column: at.length + 1 },
    };
  return { message: `${message}.${hint}`, place: { line, column: location.column + 1 } };
}

/** The body of the function; undefined if the program has more beside it than the variables that esbuild adds. */
function findBody(program: Node & { body: Node[] }): Node | undefined {
  const others = program.body.filter(({ type }) => type !== 'VariableDeclaration' && type !== 'ExpressionStatement');
  const [only] = others;
  return others.length === 1 && only && 'body' in only ? (only.body as Node) : undefined;
}
