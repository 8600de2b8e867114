import { z } from 'zod';
import type { ConfigFault, NodeContext, TextPlace } from '#src/automation/node-api/builtin-node.ts';
import { failureCodes } from '#src/automation/node-api/failure-codes.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodeCallOutcome } from '#src/automation/node-api/node-runtime.ts';
import type { CodeReads } from './code/code-reads.ts';
import type { CompiledCode } from './code/compile-code.ts';
import { defineNode } from './core-node.ts';

export const maxCodeLength = 65_536;

const config = z.object({
  code: z
    .string()
    .max(maxCodeLength, `must not be longer than ${maxCodeLength} characters.`)
    .refine((text) => text.trim() !== '', 'is required.'),
  values: z.record(z.string(), z.unknown()).default({}),
});

/** Loaded with the first code, because most processes never compile any. */
const compile = async (text: string) => (await import('./code/compile-code.ts')).compileCode(text);

/** Runs TypeScript that is part of the workflow in the sandbox of packages. */
export const codeNode = defineNode({
  name: 'code',
  config,
  effect: 'effect',
  verbatim: ['code'],
  uses: ['sandbox'],
  async listFaults({ code }): Promise<ConfigFault[]> {
    if (typeof code !== 'string') return [];
    const made = await compile(code);
    return made.ok ? [] : made.faults.map((fault) => ({ member: 'code', ...fault }));
  },
  async execute({ code: text, values }, ctx) {
    const made = await compile(text);
    if (!made.ok) {
      const [{ message, place } = { message: 'The code cannot be compiled.' }] = made.faults;
      throw new NodeError('INVALID_CODE', atPlace(message, place), { ...(place && { details: { ...place } }) });
    }
    const { code } = made;
    const outcome = await ctx.ports.sandbox.run({
      code,
      input: pickInput(code.reads, values, ctx),
      idempotencyKey: ctx.idempotencyKey,
      signal: ctx.signal,
      describeLog: (line) => inAuthorsLines(line, code),
    });
    return { outputs: readOutputs(outcome, code) };
  },
});

/** The part of the scope that the code reads. Copying all outputs of a run into the sandbox would take longer than most code runs. */
function pickInput(reads: CodeReads, values: Record<string, unknown>, ctx: NodeContext<'sandbox'>) {
  const { trigger, nodes, run, item, index } = ctx.scope;
  const ids = reads.nodes === 'all' ? Object.keys(nodes) : [...reads.nodes].filter((id) => Object.hasOwn(nodes, id));
  const all = {
    trigger,
    nodes: Object.fromEntries(ids.map((id) => [id, nodes[id]])),
    inputs: ctx.inputs,
    run,
    item,
    index,
    values,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => reads.names.has(name)));
}

/** Returns the outputs. Throws a NodeError for a failure, and for a result that is not an object. */
function readOutputs(outcome: NodeCallOutcome, code: CompiledCode): Record<string, unknown> {
  if (!outcome.ok) {
    const { kind, error } = outcome;
    const place = error.place && code.findPlace(error.place.line, error.place.column);
    throw new NodeError(error.code ?? failureCodes[kind], atPlace(error.message, place), {
      retryable: kind !== 'invalid_result',
      ...(place && { details: { ...place } }),
    });
  }
  const { value } = outcome;
  if (value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  const found = Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  throw new NodeError(
    'INVALID_RESULT',
    `The code returned ${found}. Return an object, whose members become the outputs: return { result }.`,
  );
}

const atPlace = (message: string, place: TextPlace | undefined): string =>
  place ? `${message} (line ${place.line}, column ${place.column})` : message;

/** A logged stack with the line numbers of the author's text and without the lines of the sandbox. */
const inAuthorsLines = (text: string, code: CompiledCode): string =>
  text
    .replace(/\n[^\n]*\(?sandbox:prelude:[^\n]*/g, '')
    .replace(/(?:async )?__code \(node\.js:(\d{1,7}):(\d{1,7})\)|\bnode\.js:(\d{1,7}):(\d{1,7})/g, (found, ...at) => {
      const [line, column] = at.filter((part) => typeof part === 'string');
      const place = code.findPlace(Number(line), Number(column));
      return place ? `line ${place.line}, column ${place.column}` : found;
    });
