import { inputSentence } from '#src/infra/input-messages.ts';
import { branchesOf, credentialReferences, nodesOf, resolveVersion } from './blob/blob-nodes.rules.ts';
import { workflowBlobSchema, type WorkflowGraph, type WorkflowNode } from './blob/blob.inputs.ts';
import { type CatalogueDeps, loadCatalogue } from './node-catalogue.reads.ts';

/** A node of a workflow, with its current entry in the catalogue. */
export interface PlacedNode {
  /** Inside a loop, a path of ids: `each/send`. */
  path: string;
  node: WorkflowNode;
  /** The version that a build would take; null when none matches. */
  definitionId: bigint | null;
  /** Null when they are not known before the node runs. */
  branches: readonly string[] | null;
  /** The first one that its config names. */
  credentialId: string | null;
}

/** The graph of a stored blob; undefined when the blob is not valid (any more). */
export const graphOf = (stored: unknown): WorkflowGraph | undefined =>
  workflowBlobSchema.safeParse(stored, { error: inputSentence('blob') }).data;

/** The nodes of stored blobs, those in bodies of loops included, by blob. Reads the catalogue once for all of them. */
export async function placedNodes<Blob>(deps: CatalogueDeps, blobs: readonly Blob[]): Promise<Map<Blob, PlacedNode[]>> {
  const graphs = new Map(blobs.map((blob) => [blob, graphOf(blob)]));
  const nodes = [...graphs.values()].flatMap((graph) => graph?.nodes ?? []);
  const catalogue = await loadCatalogue(deps, { nodes, edges: [] });
  const placed = (graph: WorkflowGraph): PlacedNode[] => {
    const credentials = new Map(
      credentialReferences(graph, catalogue)
        .toReversed()
        .map(({ nodeId, credentialId }) => [nodeId, credentialId]),
    );
    return [...nodesOf(graph)].map(({ path, node }) => {
      const version = resolveVersion(node.version, catalogue.versions(node.node));
      return {
        path,
        node,
        definitionId: (version !== undefined && catalogue.id(node.node, version)) || null,
        branches: branchesOf(node, catalogue) ?? null,
        credentialId: credentials.get(path) ?? null,
      };
    });
  };
  return new Map([...graphs].map(([blob, graph]) => [blob, graph ? placed(graph) : []]));
}
