import { listBranches, type LoadedCatalogue } from '#src/automation/blob/blob-nodes.rules.ts';
import type { WorkflowNode } from '#src/automation/blob/blob.inputs.ts';
import { validateBlob } from '#src/automation/blob/blob.rules.ts';
import { createNodeCheck } from '#src/automation/blob/bundle.rules.ts';
import type { PlacedIssue } from '#src/automation/blob/issues.rules.ts';
import { isObject } from '#src/automation/workflows/revision-diff.rules.ts';
import type { StoredNode } from './outdated-nodes.rules.ts';

/** Issues of one node: about as many as a person reads. */
export const maxIssues = 20;

/** The errors that a build would find in `node` in the place of `stored`. */
export type UpgradeCheck = (stored: StoredNode, node: WorkflowNode) => Promise<PlacedIssue[]>;

/** All checks of one request share a budget. */
export function createUpgradeCheck(blob: unknown, catalogue: LoadedCatalogue): UpgradeCheck {
  const checkConfig = createNodeCheck({ state: readState(blob) }, catalogue);
  return async ({ path, place, graph }, node) => {
    const issue = (field: string | null, { code, message }: Pick<PlacedIssue, 'code' | 'message'>): PlacedIssue => ({
      severity: 'error',
      code,
      message,
      path: field === null ? place : `${place}.${field}`,
      node: path,
      field,
    });
    const { issues } = await validateBlob({ version: 'v1', nodes: [node], edges: [] }, { catalogue });
    const broken = issues.filter(({ severity }) => severity === 'error');
    if (broken.length > 0)
      return broken
        .slice(0, maxIssues)
        .map(({ path: at, ...found }) => issue(/^blob\.nodes\.0\.(.+)$/.exec(at)?.[1] ?? null, found));
    const faults = await checkConfig(node);
    const lost = lostBranches(node, graph, catalogue).map((branch) =>
      issue(null, {
        code: 'unknown_branch',
        message: `An edge leaves along "${branch}", which the node does not have.`,
      }),
    );
    return [...faults.map(({ key, ...fault }) => issue(key, fault)), ...lost].slice(0, maxIssues);
  };
}

/** A draft's state may be anything. */
function readState(blob: unknown): { namespaces: Record<string, 'read' | 'read_write'> } {
  const state = isObject(blob) && isObject(blob['state']) ? blob['state'] : {};
  return { namespaces: (isObject(state['namespaces']) ? state['namespaces'] : {}) as Record<string, 'read'> };
}

/** The branches that edges take from the node, and that it does not have. */
function lostBranches(node: WorkflowNode, { edges = [] }: StoredNode['graph'], catalogue: LoadedCatalogue): string[] {
  const branches = listBranches(node, catalogue);
  if (!branches) return [];
  const taken = edges.flatMap(({ from }) =>
    'node' in from && from.node === node.id ? [from.branch ?? 'default'] : [],
  );
  return [...new Set(taken)].filter((branch) => !branches.includes(branch));
}
