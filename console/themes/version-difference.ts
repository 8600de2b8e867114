import { type Asset, manifestOf, type Version } from './manifest.ts';

export type ChangeKind = 'ADDED' | 'REMOVED' | 'CHANGED';

/** A place where two versions differ. Values are JSON, absent where the version has none. */
export interface Change {
  /** Below its group: `settings.max.default`. */
  path: string;
  kind: ChangeKind;
  before?: unknown;
  after?: unknown;
}

/** The changes of one block, or of a part of the version beside its blocks. */
export interface ChangeGroup {
  part: 'manifest' | 'block' | 'files' | 'elements';
  /** The id of the block. */
  block?: string;
  /** What happened to the block itself. */
  kind: ChangeKind;
  changes: readonly Change[];
}

/** Members that differ in every version, or that other groups show. */
const apart = new Set(['$schema', 'version', 'blocks', 'integrity']);

/** What a version changes of another one, part by part; compared with null, everything is new. */
export function versionDifference(before: Version | null, after: Version): ChangeGroup[] {
  const groups: ChangeGroup[] = [
    { part: 'manifest', kind: 'CHANGED', changes: changesOf(ownMembers(before), ownMembers(after)) },
    ...blockGroups(before, after),
    { part: 'files', kind: 'CHANGED', changes: changesOf(files(before), files(after)) },
    { part: 'elements', kind: 'CHANGED', changes: changesOf(elements(before), elements(after)) },
  ];
  return groups.filter(({ changes }) => changes.length > 0);
}

/** How many of each kind the groups hold. */
export function countChanges(groups: readonly ChangeGroup[]): Record<ChangeKind, number> {
  const all = groups.flatMap(({ changes }) => changes);
  const count = (kind: ChangeKind) => all.filter((change) => change.kind === kind).length;
  return { ADDED: count('ADDED'), REMOVED: count('REMOVED'), CHANGED: count('CHANGED') };
}

function blockGroups(before: Version | null, after: Version): ChangeGroup[] {
  const old = blocksById(before);
  const now = blocksById(after);
  return [...new Set([...now.keys(), ...old.keys()])].map((block) => {
    const kind = !old.has(block) ? 'ADDED' : !now.has(block) ? 'REMOVED' : 'CHANGED';
    return { part: 'block', block, kind, changes: changesOf(old.get(block) ?? {}, now.get(block) ?? {}) };
  });
}

const blocksById = (version: Version | null): Map<string, object> =>
  new Map(version ? manifestOf(version).blocks.map(({ id, ...block }) => [id, block]) : []);

const ownMembers = (version: Version | null): object =>
  Object.fromEntries(Object.entries(version?.manifest ?? {}).filter(([name]) => !apart.has(name)));

const files = (version: Version | null): object =>
  Object.fromEntries((version?.assets ?? []).map(({ path, size, integrity }: Asset) => [path, { size, integrity }]));

const elements = (version: Version | null): object =>
  Object.fromEntries((version?.assets ?? []).flatMap(({ path, elements }) => elements.map((name) => [name, path])));

/** The changes between two objects, at the deepest place that both have; settings keep what belongs together in one line. */
function changesOf(before: object, after: object, path = ''): Change[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key): Change[] => {
    const at = path === '' ? key : `${path}.${key}`;
    const was = old.get(key);
    const is = now.get(key);
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    if (at === 'settings' || (isObject(was) && isObject(is))) return changesOf(was ?? {}, is ?? {}, at);
    if (was === undefined) return [{ path: at, kind: 'ADDED', after: is }];
    if (is === undefined) return [{ path: at, kind: 'REMOVED', before: was }];
    return [{ path: at, kind: 'CHANGED', before: was, after: is }];
  });
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
