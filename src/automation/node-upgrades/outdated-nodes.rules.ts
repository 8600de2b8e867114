import semver from 'semver';
import { type LoadedCatalogue, resolveVersion } from '#src/automation/blob/blob-nodes.rules.ts';
import { type WorkflowNode, workflowNodeSchema } from '#src/automation/blob/blob.inputs.ts';
import { type Graph, isGraph, isObject } from '#src/automation/workflows/revision-diff.rules.ts';

/** A node of a stored blob, which may be a draft that is not valid. */
export interface StoredNode {
  /** Inside a loop, a path of ids: `each/send`. */
  path: string;
  /** Where it is in the blob: `blob.nodes.0`. */
  place: string;
  node: WorkflowNode;
  /** The graph that it is in. */
  graph: Graph;
}

/** The nodes of a blob and of its loops, in order. Passes over nodes that do not follow the schema of a node: their draft lists them. */
export function* storedNodes(blob: unknown, prefix = '', place = 'blob'): Generator<StoredNode> {
  if (!isGraph(blob)) return;
  for (const [index, stored] of blob.nodes.entries()) {
    const { data: node } = workflowNodeSchema.safeParse(stored);
    if (!node) continue;
    const at = `${place}.nodes.${index}`;
    const path = prefix + node.id;
    yield { path, place: at, node, graph: blob };
    if (node.node === 'core:for-each') yield* storedNodes(node.config['body'], `${path}/`, `${at}.config.body`);
  }
}

export interface OutdatedNode extends StoredNode {
  /** Its place among the outdated nodes, from 0. */
  position: number;
  /** The version that a build would take now; null where none is registered that the blob asks for. */
  current: string | null;
  /** The version that its config was made for: `current`, else the lowest that the blob asks for; null where that is no version. */
  from: string | null;
  /** The version to upgrade to; null where the node is not registered, or in no later version. */
  newest: string | null;
}

/** The nodes that a later version is registered of, and those whose version is not registered. */
export function findOutdated(nodes: Iterable<StoredNode>, catalogue: LoadedCatalogue): OutdatedNode[] {
  const outdated: OutdatedNode[] = [];
  // Many nodes ask for the same version.
  const known = new Map<string, Versions>();
  for (const stored of nodes) {
    const { node: slug, version: wanted } = stored.node;
    const key = `${slug}@${wanted}`;
    const versions = known.get(key) ?? findVersions(stored.node, catalogue);
    known.set(key, versions);
    if (versions.current === null || versions.newest !== null)
      outdated.push({ ...stored, position: outdated.length, ...versions });
  }
  return outdated;
}

type Versions = Pick<OutdatedNode, 'current' | 'from' | 'newest'>;

export function findVersions({ node: slug, version: wanted }: WorkflowNode, catalogue: LoadedCatalogue): Versions {
  const current = (isVersion(wanted) && resolveVersion(wanted, catalogue.versions(slug))) || null;
  const from = current ?? lowestVersion(wanted);
  return { current, from, newest: from === null ? null : findNewest(slug, from, catalogue) };
}

const isVersion = (wanted: string): boolean => wanted === 'latest' || semver.validRange(wanted) !== null;

const lowestVersion = (wanted: string): string | null =>
  semver.validRange(wanted) === null ? null : (semver.minVersion(wanted)?.version ?? null);

/** The highest version after `from` that can run. A prerelease is offered only to a node that has one. */
function findNewest(slug: string, from: string, catalogue: LoadedCatalogue): string | null {
  const allowsPrerelease = semver.prerelease(from) !== null;
  const newest = catalogue
    .versions(slug)
    .find(
      (version) => (allowsPrerelease || semver.prerelease(version) === null) && isRunnable(slug, version, catalogue),
    );
  return newest !== undefined && semver.gt(newest, from) ? newest : null;
}

/** False for a version whose code did not bundle. */
export const isRunnable = (slug: string, version: string, catalogue: LoadedCatalogue): boolean =>
  catalogue.builtin(slug) !== undefined ||
  catalogue.manifest(slug, version)?.call !== undefined ||
  typeof catalogue.codeHash(slug, version) === 'string';

/** The version as a blob asks for it, `^1.2.0` where it asked for `^1.0.0`. */
export const askFor = (version: string, { node }: StoredNode): string =>
  `${/^[~^](?=\d+\.\d+\.\d+$)/.exec(node.version)?.[0] ?? ''}${version}`;

/** The blob with these nodes changed, by path. Everything else in it stays as it is. */
export function changeNodes<Blob>(blob: Blob, changes: ReadonlyMap<string, Partial<WorkflowNode>>, prefix = ''): Blob {
  if (!isGraph(blob)) return blob;
  const nodes = blob.nodes.map((stored) => {
    const path = `${prefix}${String(stored['id'])}`;
    const node = { ...stored, ...changes.get(path) };
    const { config } = node;
    if (node['node'] !== 'core:for-each' || !isObject(config) || !isGraph(config['body'])) return node;
    return { ...node, config: { ...config, body: changeNodes(config['body'], changes, `${path}/`) } };
  });
  return { ...blob, nodes };
}
