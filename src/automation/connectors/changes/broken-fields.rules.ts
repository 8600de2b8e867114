import { checkFieldValues } from '#src/automation/node-api/field-values.rules.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { isExpression } from '#src/automation/node-api/value-checks.rules.ts';
import type { ApiChangeKind, ComparedNode } from './api-change.ts';
import { findMovedFields } from './compare-nodes.rules.ts';
import { findNarrowing } from './field-fits.rules.ts';
import { countFields, pairFields, pairMembers, pairShapes } from './field-members.rules.ts';

/** A place of a config that a changed API refuses or ignores. */
export interface BrokenField {
  kind: ApiChangeKind;
  /** `config.body.lines.0.sku` */
  path: string;
}

type Add = (kind: ApiChangeKind, path: string) => void;

/**
 * Finds the places of a node's config that are valid for the older version of the node but not for the newer one. A place that was faulty
 * before counts only if the newer node finds another fault there.
 */
export function findBrokenFields(
  config: Readonly<Record<string, unknown>>,
  before: ComparedNode,
  after: ComparedNode,
): BrokenField[] {
  const broken = new Map<string, BrokenField>();
  const add: Add = (kind, path) => broken.has(path) || broken.set(path, { kind, path });
  const [last = [], next = []] = [before.config, after.config];
  compareValues(config, pairFields(last, next), { path: 'config', size: countFields(next) }, add);
  const moved = findMovedFields(before, after);
  for (const key of moved) if (isGiven(config[key])) add('field_moved', `config.${key}`);
  const known = new Set(listFaults(last, config).map(({ at }) => at));
  for (const { at, path, steps, isMissing } of listFaults(next, config))
    if (!known.has(at) && isDescribed(last, steps)) add(isMissing ? 'field_required' : 'field_narrowed', path);
  return [...broken.values()];
}

const listFaults = (fields: readonly ConfigField[], config: Readonly<Record<string, unknown>>) =>
  checkFieldValues(fields, config, { expressions: true }).map(({ key, path, isMissing }) => {
    const place = ['config', key, ...path].join('.');
    return { at: `${place} ${isMissing}`, path: place, steps: [key, ...path.map(String)], isMissing };
  });

/** True if the fields describe a place; false within a value whose members the form leaves out. */
function isDescribed(fields: readonly ConfigField[], [key, ...rest]: readonly string[]): boolean {
  const field = fields.find((each) => each.key === key);
  return field === undefined || rest.length === 0 || isDescribedIn(field, rest);
}

function isDescribedIn({ type, fields, items, variants = [] }: ConfigField, path: readonly string[]): boolean {
  if (type === 'object') return fields !== undefined && isDescribed(fields, path);
  if (type === 'list') return path.length === 1 || (items !== undefined && isDescribedIn(items, path.slice(1)));
  if (type === 'variant') return variants.some(({ field }) => isDescribedIn(field, path));
  return type !== 'json';
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface At {
  path: string;
  /** The number of fields of the newer form. */
  size: number;
}

function compareValues(value: unknown, pair: ReturnType<typeof pairFields>, { path, size }: At, add: Add): void {
  if (!isObject(value)) return;
  for (const { key } of pair.removed) if (isGiven(value[key])) add('field_removed', `${path}.${key}`);
  for (const [before, after] of pair.kept)
    if (Object.hasOwn(value, before.key))
      compareValue(value[before.key], before, after, { path: `${path}.${before.key}`, size }, add);
}

/** Finds faults of expressions, and members that the newer form lacks. The checks of the form itself cover literal values. */
function compareValue(value: unknown, before: ConfigField, after: ConfigField, at: At, add: Add): void {
  if (isExpression(value)) {
    if (findNarrowing(before, after) !== undefined) add('field_narrowed', at.path);
    return;
  }
  const members = pairMembers(before, after, at.size);
  if (members) compareValues(value, members, at, add);
  const { items } = before;
  if (items && after.items && Array.isArray(value))
    for (const [index, item] of value.entries())
      compareValue(item, items, after.items, { ...at, path: `${at.path}.${index}` }, add);
  for (const shape of pairShapes(before, after))
    if (hasShape(value, before, shape.name)) compareValue(value, shape.before, shape.after, at, add);
}

/** True if the value has this shape of a variant: the one that its discriminator names, else the first one that fits. */
function hasShape(value: unknown, { discriminator, variants = [] }: ConfigField, name: string): boolean {
  if (discriminator !== undefined) return isObject(value) && value[discriminator] === name;
  const fits = variants.find(
    ({ field }) => checkFieldValues([{ ...field, key: 'value' }], { value }, { expressions: true }).length === 0,
  );
  return fits?.name === name;
}
