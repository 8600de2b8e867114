import type { NodeContext, NodeResult } from '#src/automation/node-api/builtin-node.ts';
import type { JsonSchema, NodeManifest } from '#src/automation/node-api/manifest.ts';
import { findAnswerFaults } from './check-answer.ts';

interface WarningSource {
  readSchemas: (() => Promise<NodeManifest['output_schemas']>) | undefined;
  /** Limits the schema of the body to the part that the request asked for. */
  narrow: ((schema: JsonSchema) => JsonSchema) | undefined;
  log: NodeContext['log'];
}

/** Logs where an answer differs from its description. Names places and types but no values, and never fails the step. */
export async function warnOfFaults(
  { outputs, branch = 'default' }: NodeResult,
  { readSchemas, narrow = (schema) => schema, log }: WarningSource,
): Promise<void> {
  if (!readSchemas || !log || outputs['body'] === undefined) return;
  const schemas = await readSchemas().catch(() => undefined);
  const { body } = (schemas?.[branch]?.['properties'] ?? {}) as Record<string, Readonly<Record<string, unknown>>>;
  if (!body) return;
  for (const { path, message } of findAnswerFaults(narrow(body), outputs['body']))
    log({ level: 'warn', message: `The answer differs from its description at ${path}: ${message}.` });
}
