import type { z } from 'zod';
import { splitSegments } from '#src/automation/expressions/segments.ts';
import type { BuiltinNode, TextPlace } from '#src/automation/node-api/builtin-node.ts';
import { findListFields } from '#src/automation/node-api/list-fields.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { findRequiredFields } from '#src/automation/node-api/required-fields.ts';
import { inputFault } from '#src/infra/input-messages.ts';
import type { IssueCode, IssueFix } from './issues.rules.ts';

type Config = Readonly<Record<string, unknown>>;
type Issue = z.core.$ZodIssue;

/** A fault of a node and the path of the member at fault, such as `config.url`. The message names the path too. */
export interface NodeFault {
  key: string;
  code: IssueCode;
  message: string;
  fix?: IssueFix;
  /** What the member was probably meant to be. */
  meant?: string;
  /** Line and column in the text of the member, counted from 1. */
  place?: TextPlace;
}

const shownFaults = 5;
const notAList = 'must be a list, or an expression in {{ }}.';

const bracelessPath = /^(?:trigger|nodes|item|run)(?:[.[][\w.[\]`-]*)?$/;

/** An expression in place of a path whose braces were forgotten; undefined for any other value. */
export const withBraces = (value: unknown): string | undefined =>
  typeof value === 'string' && bracelessPath.test(value.trim()) ? `{{ ${value.trim()} }}` : undefined;

/**
 * The faults of a built-in node's config that are known before it runs: its constants are checked against the node's
 * manifest and schema. The value of an expression is unknown, but text that contains one is text.
 */
export function knownFaults(node: BuiltinNode, fields: readonly ConfigField[], config: Config): NodeFault[] {
  const lists = new Set(findListFields(fields));
  const missing = findRequiredFields(fields).filter((key) => config[key] === undefined);
  const issues = node.config.safeParse(config, { error: inputFault }).error?.issues ?? [];
  const wrong = issues.filter(
    (issue) => !missing.includes(String(issue.path[0])) && (isVerbatim(node, issue) || !isUnknown(config, issue)),
  );
  return [
    ...missing.map((key) => ({ key: `config.${key}`, code: 'required' as const, message: 'is required.' })),
    ...wrong.map(({ code, path, message }) => {
      const isNoList = code === 'invalid_type' && path.length === 1 && lists.has(String(path[0]));
      const meant = isNoList ? withBraces(config[String(path[0])]) : undefined;
      return {
        key: ['config', ...path].join('.'),
        code: 'invalid_value' as const,
        message: isNoList ? notAList : message,
        ...(meant !== undefined && { meant }),
      };
    }),
  ]
    .slice(0, shownFaults)
    .map(({ message, ...fault }) => ({ ...fault, message: `${fault.key}: ${message}` }));
}

const isVerbatim = ({ verbatim }: BuiltinNode, { path }: Issue): boolean => verbatim.includes(String(path[0]));

/** Faults that a node finds in its own config, for example code that does not compile. */
export async function textFaults(node: BuiltinNode, config: Config): Promise<NodeFault[]> {
  if (node.effect === 'control' || !node.listFaults) return [];
  const faults = await node.listFaults(config);
  return faults.slice(0, shownFaults).map(({ member, message, place }) => ({
    key: `config.${member}`,
    code: 'invalid_value',
    message: `config.${member}: ${place ? `line ${place.line}, column ${place.column}: ` : ''}${message}`,
    ...(place && { place }),
  }));
}

/** True when the value at fault, or one that contains it, comes from an expression. */
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
