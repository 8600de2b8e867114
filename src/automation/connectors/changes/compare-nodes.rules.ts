import type { ConfigField, JsonSchema } from '#src/automation/node-api/manifest.ts';
import { findMember, isOtherType } from './answer-members.rules.ts';
import type { ApiChange, ComparedNode } from './api-change.ts';
import { findNarrowing } from './field-fits.rules.ts';
import { countFields, pairFields, pairMembers, pairShapes } from './field-members.rules.ts';

/** Lists what differs between the nodes of two descriptions, node by node in the order of their slugs. */
export function compareNodes(before: readonly ComparedNode[], after: readonly ComparedNode[]): ApiChange[] {
  const [last, next] = [before, after].map((nodes) => new Map(nodes.map((node) => [node.slug, node])));
  const slugs = [...new Set([...before, ...after].map(({ slug }) => slug))].toSorted();
  return slugs.flatMap((slug): ApiChange[] => {
    const [one, other] = [last?.get(slug), next?.get(slug)];
    if (one && other) return compareNode(one, other);
    const kind = one ? 'operation_removed' : 'operation_added';
    return [{ kind, slug, path: null, isBreaking: one !== undefined, detail: '' }];
  });
}

function compareNode(before: ComparedNode, after: ComparedNode): ApiChange[] {
  const { slug } = before;
  const changes: ApiChange[] = [];
  const add: Add = (kind, path, isBreaking, detail = '') => changes.push({ kind, slug, path, isBreaking, detail });
  const moved = findMove(before, after);
  if (moved !== undefined) add('operation_moved', null, true, moved);
  const size = countFields(after.config ?? []);
  const pair = pairFields(before.config ?? [], after.config ?? []);
  compareMembers(pair, 'config', size, add);
  for (const key of findMovedFields(before, after)) add('field_moved', `config.${key}`, true);
  compareBranches(before, after, add);
  return changes;
}

type Add = (kind: ApiChange['kind'], path: string | null, isBreaking: boolean, detail?: string) => void;

/** Describes how the address of the request or the format of its body changed; undefined if neither did. */
export function findMove({ call: before }: ComparedNode, { call: after }: ComparedNode): string | undefined {
  const [from, to] = [before, after].map((call) => `${call?.method ?? ''} ${call?.path ?? ''}`);
  if (from !== to) return `${from} became ${to}`;
  const [sent, sends] = [before?.body, after?.body].map((body) => body?.media_type ?? '');
  return sent !== '' && sends !== '' && sent !== sends ? `body ${sent} became ${sends}` : undefined;
}

/** Keys of the parameters whose name on the wire, place or notation changed. */
export function findMovedFields({ call: before }: ComparedNode, { call: after }: ComparedNode): string[] {
  const places = new Map(before?.parameters.map(({ field, ...place }) => [field, JSON.stringify(place)]));
  return (after?.parameters ?? []).flatMap(({ field, ...place }) => {
    const known = places.get(field);
    return known === undefined || known === JSON.stringify(place) ? [] : [field];
  });
}

function compareMembers(pair: ReturnType<typeof pairFields>, path: string, size: number, add: Add): void {
  for (const { key } of pair.removed) add('field_removed', `${path}.${key}`, true);
  for (const field of pair.added) add('field_added', `${path}.${field.key}`, isNeeded(field));
  for (const [before, after] of pair.kept) compareField(before, after, `${path}.${before.key}`, size, add);
}

export const isNeeded = ({ required, default: byDefault }: ConfigField): boolean =>
  required === true && byDefault === undefined;

function compareField(before: ConfigField, after: ConfigField, path: string, size: number, add: Add): void {
  if (isNeeded(after) && !isNeeded(before)) add('field_required', path, true);
  const narrowing = findNarrowing(before, after);
  if (narrowing !== undefined) return add('field_narrowed', path, true, narrowing);
  if (findNarrowing(after, before) !== undefined || isNeeded(before) !== isNeeded(after))
    if (!isNeeded(after) || isNeeded(before)) add('field_changed', path, false);
  const members = pairMembers(before, after, size);
  if (members) compareMembers(members, path, size, add);
  if (before.items && after.items) compareField(before.items, after.items, `${path}.*`, size, add);
  for (const shape of pairShapes(before, after)) compareField(shape.before, shape.after, path, size, add);
}

function compareBranches(before: ComparedNode, after: ComparedNode, add: Add): void {
  const [last, next] = [before, after].map(({ branches = [] }) => branches);
  for (const branch of last ?? []) if (!next?.includes(branch)) add('branch_removed', branch, true);
  for (const branch of next ?? []) if (!last?.includes(branch)) add('branch_added', branch, false);
  for (const [branch, schema] of Object.entries(before.output_schemas ?? {})) {
    const now = after.output_schemas?.[branch];
    if (now) compareAnswers(schema, now, add);
  }
}

function compareAnswers(before: JsonSchema, after: JsonSchema, add: Add): void {
  const [last, next] = [before, after].map(
    (schema) => new Map(listMembers(schema).map((path) => [path.join('.'), path])),
  );
  const lost = new Set<string>();
  for (const [name, path] of last ?? []) {
    if (lost.has(path.slice(0, -1).join('.'))) {
      lost.add(name);
      continue;
    }
    const now = findMember(after, path);
    if (now === 'missing') add('answer_removed', `outputs.${name}`, true);
    else if (isOtherType(findMember(before, path), now)) add('answer_changed', `outputs.${name}`, true);
    else continue;
    lost.add(name);
  }
  for (const [name, path] of next ?? [])
    if (
      !last?.has(name) &&
      findMember(before, path.slice(0, -1)) !== 'missing' &&
      findMember(before, path) === 'missing'
    )
      add('answer_added', `outputs.${name}`, false);
}

const maxMembers = 5_000;

/** Paths of all members that a schema describes, outer ones first. Paths do not name the items of lists. */
function listMembers(schema: JsonSchema): string[][] {
  const found: string[][] = [];
  const pending: { schema: JsonSchema; path: string[] }[] = [{ schema, path: [] }];
  for (let next = pending.shift(); next && found.length < maxMembers; next = pending.shift()) {
    const { properties = {}, items, anyOf = [] } = next.schema as Record<string, object>;
    for (const shape of [items ?? [], anyOf].flat()) pending.push({ schema: shape as JsonSchema, path: next.path });
    for (const [name, member] of Object.entries(properties ?? {})) {
      const path = [...next.path, name];
      found.push(path);
      pending.push({ schema: member as JsonSchema, path });
    }
  }
  return found;
}
