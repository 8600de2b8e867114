import { z } from 'zod';
import type { NodeCall, NodeResult, SourcePlace } from '#src/automation/node-api/node-runtime.ts';
import { isWithinDepth } from '#src/infra/json.ts';

export type NodeFailure = { message: string; code?: string; place?: SourcePlace };

/** Equals the depth limit of a value in the state store. Recording and returning a result walks it level by level. */
const maxResultDepth = 128;

const objectSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const explicitSchema = z.strictObject({
  outputs: objectSchema.optional(),
  branch: z.string().min(1).max(100).optional(),
});

/**
 * Parses the JSON that an entry returned. `execute` returns `{outputs?, branch?}`, any other object, which is the
 * outputs, or nothing.
 */
export function readResult(
  entry: NodeCall['entry'],
  json: string,
): { ok: true; value: unknown } | { ok: false; error: NodeFailure } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, error: { message: 'The result is not JSON.' } };
  }
  if (!isWithinDepth(value, maxResultDepth)) {
    return { ok: false, error: { message: `The result nests more than ${maxResultDepth} levels; make it flatter.` } };
  }
  if (entry !== 'execute') return { ok: true, value };
  if (value === null) return { ok: true, value: { outputs: {}, branch: 'default' } satisfies NodeResult };

  const explicit = explicitSchema.safeParse(value);
  if (explicit.success) {
    const { outputs = {}, branch = 'default' } = explicit.data;
    return { ok: true, value: { outputs, branch } satisfies NodeResult };
  }
  const plain = objectSchema.safeParse(value);
  if (plain.success && !Object.hasOwn(plain.data, 'outputs')) {
    return { ok: true, value: { outputs: plain.data, branch: 'default' } satisfies NodeResult };
  }
  return {
    ok: false,
    error: { message: 'execute() must return {outputs?: object, branch?: string} or an object that is the outputs.' },
  };
}
