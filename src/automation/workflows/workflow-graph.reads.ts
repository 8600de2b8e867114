import {
  listBranches,
  credentialReferences,
  walkEdges,
  walkNodes,
  resolveVersion,
} from '#src/automation/blob/blob-nodes.rules.ts';
import {
  workflowBlobSchema,
  type WorkflowEdge,
  type WorkflowGraph,
  type WorkflowNode,
} from '#src/automation/blob/blob.inputs.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { inputSentence } from '#src/infra/input-messages.ts';
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

export interface PlacedEdge {
  /** Precedes the ids of its nodes in their paths. */
  prefix: string;
  edge: WorkflowEdge;
}

/**
 * Nodes, or edges, of all the workflows of one list. The cost of a document cannot tell how many there are before the blobs are read;
 * it admits 100 workflows, which may have 500 nodes each.
 */
export const maxListedParts = 5_000;

/** The graph of a stored blob; undefined when the blob is not valid (any more). */
const parseGraph = (stored: unknown): WorkflowGraph | undefined =>
  workflowBlobSchema.safeParse(stored, { error: inputSentence('blob') }).data;

/** The graphs of stored blobs. Several are refused if they are too large together; a single one never is. */
function parseGraphs<Blob>(
  blobs: readonly Blob[],
  listParts: (graph: WorkflowGraph) => Iterable<unknown>,
): Map<Blob, WorkflowGraph | undefined> {
  const graphs = new Map<Blob, WorkflowGraph | undefined>();
  let parts = 0;
  for (const blob of blobs) {
    const graph = parseGraph(blob);
    if (graph) parts += [...listParts(graph)].length;
    if (graphs.size > 0 && parts > maxListedParts)
      throw new ValidationError({ first: ['These workflows have too many nodes or edges together; ask for fewer.'] });
    graphs.set(blob, graph);
  }
  return graphs;
}

/** The edges of stored blobs, those in bodies of loops included, by blob. */
export const placedEdges = <Blob>(blobs: readonly Blob[]): Map<Blob, PlacedEdge[]> =>
  new Map([...parseGraphs(blobs, walkEdges)].map(([blob, graph]) => [blob, graph ? [...walkEdges(graph)] : []]));

/** The nodes of stored blobs, those in bodies of loops included, by blob. Reads the catalogue once for all of them. */
export async function placedNodes<Blob>(deps: CatalogueDeps, blobs: readonly Blob[]): Promise<Map<Blob, PlacedNode[]>> {
  const graphs = parseGraphs(blobs, walkNodes);
  const nodes = [...graphs.values()].flatMap((graph) => graph?.nodes ?? []);
  const catalogue = await loadCatalogue(deps, { nodes, edges: [] });
  const placed = (graph: WorkflowGraph): PlacedNode[] => {
    const credentials = new Map(
      credentialReferences(graph, catalogue)
        .toReversed()
        .map(({ nodeId, credentialId }) => [nodeId, credentialId]),
    );
    return [...walkNodes(graph)].map(({ path, node }) => {
      const version = resolveVersion(node.version, catalogue.versions(node.node));
      return {
        path,
        node,
        definitionId: (version !== undefined && catalogue.id(node.node, version)) || null,
        branches: listBranches(node, catalogue) ?? null,
        credentialId: credentials.get(path) ?? null,
      };
    });
  };
  return new Map([...graphs].map(([blob, graph]) => [blob, graph ? placed(graph) : []]));
}
