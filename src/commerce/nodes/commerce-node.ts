import { z } from 'zod';
import { defineBuiltinNode, type NodeContext, type RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import { instantText, parseInstant } from '#src/infra/text/instant-text.ts';

export const packageVersion = '1.0.0';

/** The output of the node, in snake_case like the names of REST. */
type Outputs = Record<string, unknown>;

/** A node of package `commerce`. Its use case refuses the same input as over the API; the step then fails with that error's code. */
export const defineNode = <S extends z.ZodType, Uses extends 'files' = never>({
  name,
  config,
  uses = [],
  execute,
}: {
  name: string;
  config: S;
  /** Ports in addition to that of the tenant. */
  uses?: readonly Uses[];
  execute: (config: z.output<S>, ctx: NodeContext<'tenant' | Uses>) => Promise<Outputs>;
}): RunnableNode =>
  defineBuiltinNode({
    slug: `commerce:${name}`,
    version: packageVersion,
    config,
    effect: 'effect',
    uses: ['tenant', ...uses],
    async execute(given, ctx) {
      try {
        return { outputs: await execute(given, ctx) };
      } catch (error) {
        throw error instanceof AppError ? new NodeError(error.code, formatMessage(error)) : error;
      }
    },
  });

/** Faults at their fields, with the names of the config. */
function formatMessage(error: AppError): string {
  if (!(error instanceof ValidationError)) return error.message;
  const faults = Object.entries(error.fields).slice(0, 5);
  return faults.map(([path, messages]) => `${snakeCase(path)}: ${messages.join(' ')}`).join(' ');
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Expressions turn text that looks like a number into one; converts it back. */
export const text = z.union([z.string(), z.number()]).transform(String);
const noId = 'must be an id, which is a whole number. An expression that finds nothing gives none.';
export const databaseId = z
  .union([z.int().positive(), z.string().regex(/^[1-9]\d{0,17}$/, noId)], noId)
  .transform(BigInt);
export const instant = instantText.transform(parseInstant);
