import { z } from 'zod';
import type { NodeEntry } from '#src/automation/packages/bundler/bundle-format.ts';
import type { LogLine } from './broker.ts';
import type { FailureKind } from './messages.ts';

/** What `execute` answers. `outputs` is a JSON object; `branch` is `default` unless the node chose another. */
export type ExecuteResult = { outputs: Record<string, unknown>; branch: string };

export type NodeFailure = { message: string; code?: string };

/**
 * `value` is an ExecuteResult for the entry `execute`, any JSON value for `resolve` and `test`. A failure is the node's
 * own (`threw`, `timeout`, `memory`, `invalid_result`, `output_too_large`), ours (`crashed`, `unavailable`: may be tried
 * again) or asked for (`cancelled`). Logs are what was written before the end.
 */
export type Outcome =
  | { ok: true; value: unknown; logs: LogLine[] }
  | { ok: false; kind: FailureKind; error: NodeFailure; logs: LogLine[] };

const objectSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const explicitSchema = z.strictObject({
  outputs: objectSchema.optional(),
  branch: z.string().min(1).max(100).optional(),
});

/**
 * Reads the JSON that an entry answered. `execute` returns `{outputs?, branch?}`, any other object, which is the
 * outputs, or nothing.
 */
export function readResult(
  entry: NodeEntry,
  json: string,
): { ok: true; value: unknown } | { ok: false; error: NodeFailure } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, error: { message: 'The result is not JSON.' } };
  }
  if (entry !== 'execute') return { ok: true, value };
  if (value === null) return { ok: true, value: { outputs: {}, branch: 'default' } satisfies ExecuteResult };

  const explicit = explicitSchema.safeParse(value);
  if (explicit.success) {
    const { outputs = {}, branch = 'default' } = explicit.data;
    return { ok: true, value: { outputs, branch } satisfies ExecuteResult };
  }
  const plain = objectSchema.safeParse(value);
  if (plain.success && !Object.hasOwn(plain.data, 'outputs')) {
    return { ok: true, value: { outputs: plain.data, branch: 'default' } satisfies ExecuteResult };
  }
  return {
    ok: false,
    error: { message: 'execute() must return {outputs?: object, branch?: string} or an object that is the outputs.' },
  };
}
