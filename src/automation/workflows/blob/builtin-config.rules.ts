import type { z } from 'zod';
import { splitSegments } from '#src/automation/expressions/segments.ts';
import type { BuiltinNode } from '#src/automation/node-api/builtin-node.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { requiredFieldsOf } from '#src/automation/node-api/required-fields.ts';
import { inputFault } from '#src/infra/input-messages.ts';

type Config = Readonly<Record<string, unknown>>;
type Issue = z.core.$ZodIssue;

/** What is wrong with a node, and in which of its members: `config.url`. The message names it too. */
export interface NodeFault {
  key: string;
  message: string;
}

const shownFaults = 5;

/**
 * What is known to be wrong with a built-in node's config before it runs: its constants are held against the node's manifest and
 * schema. A value that an expression will make is unknown, but text with an expression in it is text.
 */
export function knownFaults(node: BuiltinNode, fields: readonly ConfigField[], config: Config): NodeFault[] {
  const missing = requiredFieldsOf(fields).filter((key) => config[key] === undefined);
  const issues = node.config.safeParse(config, { error: inputFault }).error?.issues ?? [];
  const wrong = issues.filter((issue) => !missing.includes(String(issue.path[0])) && !isUnknown(config, issue));
  return [
    ...missing.map((key) => ({ key: `config.${key}`, message: 'is required.' })),
    ...wrong.map(({ path, message }) => ({ key: ['config', ...path].join('.'), message })),
  ]
    .slice(0, shownFaults)
    .map(({ key, message }) => ({ key, message: `${key}: ${message}` }));
}

/** Whether the value at fault, or what holds it, is made by an expression. */
function isUnknown(config: Config, { code, path }: Issue): boolean {
  let value: unknown = config;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  if (typeof value !== 'string') return false;
  const segments = splitSegments(value);
  const isMade = segments.some((segment) => 'source' in segment);
  return isMade && (segments.length === 1 || code !== 'invalid_type');
}
