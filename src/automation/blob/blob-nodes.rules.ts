import semver from 'semver';
import type { BuiltinNode } from '#src/automation/node-api/builtin-node.ts';
import { listCredentialFields, parseCredentialId } from '#src/automation/node-api/credential-fields.rules.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { workflowGraphSchema } from './blob.inputs.ts';
import type { WorkflowEdge, WorkflowGraph, WorkflowNode } from './blob.inputs.ts';

/** The registered nodes that a blob may name, as far as they have been loaded for it. */
export interface NodeCatalogue {
  /** Every registered version of a node, highest first; empty for an unknown node. */
  versions(slug: string): readonly string[];
  manifest(
    slug: string,
    version: string,
  ): Pick<NodeManifest, 'config' | 'outputs' | 'branches' | 'branches_from' | 'call'> | undefined;
  /** The node's implementation, if it is built in. */
  builtin(slug: string): BuiltinNode | undefined;
}

/** The registered versions of the nodes that a graph names, and the code of each. */
export interface LoadedCatalogue extends NodeCatalogue {
  /** Null for nodes without code and for code that did not bundle; undefined for a version that is not registered. */
  codeHash(slug: string, version: string): string | null | undefined;
  /** The registered version's row; undefined for one that is not registered. */
  id(slug: string, version: string): bigint | undefined;
}

/** The highest version that matches an exact version, a range or `latest`; undefined when none does. */
export function resolveVersion(wanted: string, versions: readonly string[]): string | undefined {
  // An exact version, as most nodes name, is satisfied by itself alone; comparing them all takes a fifth of checking a large blob.
  if (versions.includes(wanted)) return wanted;
  if (wanted === 'latest') return versions.toSorted(semver.rcompare)[0];
  return semver.maxSatisfying([...versions], wanted) ?? undefined;
}

/** The manifest of the version that the node resolves to. */
export const findManifest = (node: WorkflowNode, catalogue: NodeCatalogue) => {
  const version = resolveVersion(node.version, catalogue.versions(node.node));
  return version === undefined ? undefined : catalogue.manifest(node.node, version);
};

/** The branches that a node may take; undefined when they are not known before it runs. */
export function listBranches(node: WorkflowNode, catalogue: NodeCatalogue): readonly string[] | undefined {
  const manifest = findManifest(node, catalogue);
  if (!manifest) return undefined;
  const branches = new Set(manifest.branches ?? ['default']);
  if (node.on_error === 'continue') branches.add('default');
  if (node.on_error === 'branch') branches.add('error');
  if (manifest.branches_from !== undefined) {
    const items = node.config[manifest.branches_from];
    if (!Array.isArray(items)) return undefined;
    for (const item of items as unknown[]) {
      const branch: unknown = typeof item === 'object' && item !== null && 'branch' in item ? item.branch : undefined;
      if (typeof branch === 'string') branches.add(branch);
    }
  }
  return [...branches];
}

/** Every node of a graph and of the bodies of its loops, with its path of ids (`each/send`) and its place (`blob.nodes.0`). */
export function* walkNodes(
  graph: WorkflowGraph,
  prefix = '',
  place = 'blob',
): Generator<{ path: string; place: string; node: WorkflowNode }> {
  for (const [index, node] of graph.nodes.entries()) {
    const path = prefix + node.id;
    const at = `${place}.nodes.${index}`;
    yield { path, place: at, node };
    const body = loopBody(node);
    if (body) yield* walkNodes(body, `${path}/`, `${at}.config.body`);
  }
}

/** Every edge of a graph and of the bodies of its loops, with what precedes the ids of its nodes in their paths (`each/`). */
export function* walkEdges(graph: WorkflowGraph, prefix = ''): Generator<{ prefix: string; edge: WorkflowEdge }> {
  for (const edge of graph.edges) yield { prefix, edge };
  for (const node of graph.nodes) {
    const body = loopBody(node);
    if (body) yield* walkEdges(body, `${prefix}${node.id}/`);
  }
}

/** The body of a loop; undefined for any other node, and for a body that is not valid. */
const loopBody = ({ node, config }: WorkflowNode): WorkflowGraph | undefined =>
  node === 'core:for-each' ? workflowGraphSchema.safeParse(config['body']).data : undefined;

export interface CredentialReference {
  /** Inside a loop, a path of ids: `each/send`. */
  nodeId: string;
  /** Key of the config field. */
  field: string;
  credentialId: string;
  /** Slugs of the credential types that the field accepts. */
  types: readonly string[];
}

/** The credentials that a blob's `credentials-ref` fields name; skips fields that are empty or do not hold an id yet. */
export function credentialReferences(graph: WorkflowGraph, catalogue: NodeCatalogue): CredentialReference[] {
  return [...walkNodes(graph)].flatMap(({ path, node }) =>
    listCredentialFields(findManifest(node, catalogue)?.config).flatMap(({ key, types }) => {
      const credentialId = parseCredentialId(node.config[key]);
      return credentialId === undefined ? [] : [{ nodeId: path, field: key, credentialId, types }];
    }),
  );
}

/** Handles of the triggers that edges name, without duplicates. */
export const triggerHandles = (graph: WorkflowGraph): string[] => [
  ...new Set(graph.edges.flatMap(({ from }) => ('trigger' in from ? [from.trigger] : []))),
];

/** Slugs of all nodes used, without duplicates: a catalogue must have loaded them. */
export const nodeSlugs = (graph: WorkflowGraph): string[] => [
  ...new Set([...walkNodes(graph)].map(({ node }) => node.node)),
];
