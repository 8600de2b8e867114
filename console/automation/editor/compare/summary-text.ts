import { type Edge, idOf, isTrigger } from '#console/automation/editor/model/graph.ts';
import type { FieldChange } from '#console/automation/editor/model/summary.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import { compareWords as w } from './compare.words.ts';

const memberWords: Readonly<Record<string, string>> = {
  version: w.version,
  node: w.node,
  on_error: w.on_error,
  retry: w.retry,
  timeout_ms: w.timeout_ms,
  settings: w.settings,
};

/** The name of a value as its form has it: `Cases › 2 › Branch`. People count from 1. */
export function fieldName({ path }: Pick<FieldChange, 'path'>, definition: Definition | undefined): string {
  const [first = '', ...rest] = path;
  const [key = '', ...inner] = first === 'config' ? rest : path;
  const label = first === 'config' ? definition?.fields.find((field) => field.key === key)?.label : memberWords[key];
  return [label ?? key, ...inner.map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : name))].join(' › ');
}

/** The names of triggers, of which a path has the handle alone. */
export type TriggerNames = readonly { handle: string; name: string }[];

/** A node or a trigger in a sentence. A trigger that was deleted has no name any more. */
export const endName = (path: string, triggers: TriggerNames): string =>
  isTrigger(path)
    ? w.trigger(triggers.find(({ handle }) => handle === path.slice(1))?.name ?? path.slice(1))
    : idOf(path);

/** The end that an edge leaves, with its branch unless that is the usual one. */
export const startName = ({ from, branch }: Edge, triggers: TriggerNames): string =>
  branch === 'default' ? endName(from, triggers) : w.along(endName(from, triggers), branch);

/** A value as it is shown: a text bare, anything else as JSON. */
export const valueText = (value: unknown): string =>
  value === undefined ? w.nothing : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
