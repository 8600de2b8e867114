import { sameJson } from '#src/infra/json.ts';
import type { Block, Manifest } from '#src/themes/manifest/manifest.ts';

/** The parts of a registered version that a reviewer compares. */
export interface Reviewed {
  manifest: Manifest;
  assets: readonly { path: string; size: number; integrity: string; elements: readonly string[] }[];
}

export interface BlockChange {
  id: string;
  change: 'added' | 'removed' | 'changed';
  /** Members of the block that differ: `title`, `enabledOn`, ...; settings are compared by key. */
  members: string[];
  settings: { key: string; change: 'added' | 'removed' | 'changed' }[];
}

export interface AssetChange {
  path: string;
  change: 'added' | 'removed' | 'changed';
  /** Bytes; null if the version has no such file. */
  sizeBefore: number | null;
  size: number | null;
}

export interface Review {
  /** Members of the manifest other than blocks and version that differ. */
  members: string[];
  blocks: BlockChange[];
  assets: AssetChange[];
  elementsAdded: string[];
  elementsRemoved: string[];
}

type Keyed<T> = ReadonlyMap<string, T>;

const listKeys = <T>(...maps: Keyed<T>[]): string[] => [...new Set(maps.flatMap((map) => [...map.keys()]))];

interface Change<T> {
  key: string;
  change: 'added' | 'removed' | 'changed';
  old: T | undefined;
  now: T | undefined;
}

/** The differences between two maps, key by key; equal values are left out. */
const listChanges = <T>(before: Keyed<T>, after: Keyed<T>): Change<T>[] =>
  listKeys(before, after)
    .map((key) => ({ key, old: before.get(key), now: after.get(key) }))
    .filter(({ old, now }) => !sameJson(old, now))
    .map((each) => ({
      ...each,
      change: each.old === undefined ? 'added' : each.now === undefined ? 'removed' : 'changed',
    }));

const indexMembers = (value: object, without: readonly string[]): Keyed<unknown> =>
  new Map(Object.entries(value).filter(([name]) => !without.includes(name)));

const indexBlocks = ({ manifest }: Reviewed): Keyed<Block> =>
  new Map(manifest.blocks.map((block) => [block.id, block]));
const indexSettings = (block: Block | undefined) => new Map(Object.entries(block?.settings ?? {}));
const indexAssets = ({ assets }: Reviewed) => new Map(assets.map((asset) => [asset.path, asset]));
const listElements = ({ assets }: Reviewed) => assets.flatMap(({ elements }) => elements);

/** The changes of a version; compared with null, everything is new. */
export function createReview(after: Reviewed, before: Reviewed | null): Review {
  const none: Reviewed = { manifest: { blocks: [] as Block[] } as Manifest, assets: [] };
  const old = before ?? none;
  const elements = { before: listElements(old), after: listElements(after) };
  const ownMembers = ['blocks', 'version', '$schema'];
  return {
    members: listChanges(indexMembers(old.manifest, ownMembers), indexMembers(after.manifest, ownMembers)).map(
      ({ key }) => key,
    ),
    blocks: listChanges(indexBlocks(old), indexBlocks(after)).map(({ key: id, change, old: was, now }) => ({
      id,
      change,
      members:
        was && now
          ? listChanges(indexMembers(was, ['settings']), indexMembers(now, ['settings'])).map(({ key }) => key)
          : [],
      settings: listChanges(indexSettings(was), indexSettings(now)).map((setting) => ({
        key: setting.key,
        change: setting.change,
      })),
    })),
    assets: listChanges(indexAssets(old), indexAssets(after)).map(({ key: path, change, old: was, now }) => ({
      path,
      change,
      sizeBefore: was?.size ?? null,
      size: now?.size ?? null,
    })),
    elementsAdded: elements.after.filter((name) => !elements.before.includes(name)),
    elementsRemoved: elements.before.filter((name) => !elements.after.includes(name)),
  };
}
