import semver from 'semver';
import { resolveVersion } from '#src/automation/blob/blob-nodes.rules.ts';
import type { WorkflowNode } from '#src/automation/blob/blob.inputs.ts';
import type { ComparedNode } from '#src/automation/connectors/changes/api-change.ts';
import {
  type BrokenPlace,
  type ChangedNode,
  findBrokenPlaces,
} from '#src/automation/connectors/changes/broken-nodes.rules.ts';
import type { Comparison } from '#src/automation/connectors/reading/describe-order.ts';
import { Budget } from '#src/automation/expressions/budget.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { listUsingWorkflows, type UsingWorkflow } from './using-workflows.reads.ts';

export interface BrokenWorkflowPlace extends BrokenPlace {
  tenantId: string;
  workflow: Pick<UsingWorkflow, 'id' | 'name'>;
}

export interface BrokenWorkflows {
  /** How many workflows use nodes of the package. */
  workflowCount: number;
  broken: BrokenWorkflowPlace[];
}

/** Finds what breaks in the workflows of tenants that use nodes of a package, each in the version that the workflow asks for. */
export async function findBrokenWorkflows(
  { database }: { database: Database },
  tenants: readonly { id: string }[],
  namespace: string,
  { last, next }: Pick<Comparison, 'last' | 'next'>,
): Promise<BrokenWorkflows> {
  const used = await listVersions(database, last);
  const after = new Map(next.map((node) => [node.slug, node]));
  const find = ({ node: slug, version }: WorkflowNode): ChangedNode | undefined => {
    const versions = used.get(slug);
    const current = versions && resolveVersion(version, [...versions.keys()].toSorted(semver.rcompare));
    const before = current === undefined ? undefined : versions?.get(current);
    return before && { before, after: after.get(slug) };
  };
  const budget = new Budget();
  const broken: BrokenWorkflowPlace[] = [];
  let workflowCount = 0;
  for (const { id: tenantId } of tenants)
    for (const { blob, ...workflow } of await listUsingWorkflows(database, tenantId, namespace)) {
      await budget.pause();
      workflowCount += 1;
      for (const place of findBrokenPlaces(blob, find)) broken.push({ ...place, tenantId, workflow });
    }
  return { workflowCount, broken };
}

/** The registered versions of the nodes, by slug and version. */
async function listVersions(
  database: Database,
  nodes: readonly ComparedNode[],
): Promise<Map<string, Map<string, ComparedNode>>> {
  const rows = await database.global.node.findMany({
    where: { slug: { in: nodes.map(({ slug }) => slug) } },
    select: { slug: true, version: true, manifest: true },
  });
  const versions = new Map<string, Map<string, ComparedNode>>();
  for (const { slug, version, manifest } of rows) {
    const known = versions.get(slug) ?? new Map<string, ComparedNode>();
    versions.set(slug, known.set(version, manifest as unknown as ComparedNode));
  }
  return versions;
}
