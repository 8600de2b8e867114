import { useEffect, useMemo } from 'react';
import { useQuery } from 'urql';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { type Graph, nodesOf } from '#console/automation/editor/model/graph.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { DefinitionAt, type OutdatedNode, OutdatedNodes } from './upgrades.documents.ts';

/** A node that a newer version is there for, or whose version is not registered. */
export interface Upgrade extends ResultOf<typeof OutdatedNode> {
  /** Its place in the list of the server. */
  offset: number;
}

/** The outdated nodes of the draft by path; read again when the versions of nodes in the saved blob change. */
export function useUpgrades(workflowId: string, saved: unknown, graph: Graph): ReadonlyMap<string, Upgrade> {
  const asked = useMemo(
    () => JSON.stringify([...nodesOf(readBlob(saved))].map(([path, { node, version }]) => [path, node, version])),
    [saved],
  );
  const [{ data }, read] = useQuery({ query: OutdatedNodes, variables: { workflowId }, requestPolicy: 'network-only' });
  useEffect(() => {
    if (asked !== '[]') read({ requestPolicy: 'network-only' });
  }, [asked, read]);
  return useMemo(() => {
    const nodes = nodesOf(graph);
    const found = (data?.nodeUpgrades?.edges ?? []).map(({ node }, offset): [string, Upgrade] => [
      node.path,
      { ...node, offset },
    ]);
    // What is not saved yet is not known to the server.
    return new Map(found.filter(([path, { version: own }]) => nodes.get(path)?.version === own));
  }, [data, graph]);
}

/** The definition of the version that a node runs: the newest, unless it asks for an older one. */
export function useDefinitionAt(newest: Definition | undefined, upgrade: Upgrade | undefined): Definition | undefined {
  const { slug = '', current = null } = upgrade ?? {};
  const isOlder = newest !== undefined && current !== null && current !== newest.version;
  const [{ data }] = useQuery({
    query: DefinitionAt,
    variables: { slug, version: current ?? '' },
    pause: !isOlder,
  });
  return isOlder ? (data?.nodeDefinition ?? undefined) : newest;
}
