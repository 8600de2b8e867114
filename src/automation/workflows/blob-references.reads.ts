import { findManifest, type NodeCatalogue, walkNodes } from '#src/automation/blob/blob-nodes.rules.ts';
import type { WorkflowBlob } from '#src/automation/blob/blob.inputs.ts';
import { workflowReferences } from '#src/automation/blob/workflow-references.rules.ts';
import { listCredentialFields, parseCredentialId } from '#src/automation/node-api/credential-fields.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** A reference of a blob to something that the tenant does not have. `at` is the location for people, `path` the one in the blob. */
export interface MissingReference {
  at: string;
  path: string;
  message: string;
}

interface Reference extends MissingReference {
  kind: 'credential' | 'workflow';
  id: bigint;
}

/** Finds the credentials and workflows that a blob names by constant ids and that are not there. */
export async function missingReferences(
  database: Database,
  tenantId: string,
  blob: WorkflowBlob,
  catalogue: NodeCatalogue,
): Promise<MissingReference[]> {
  const references = findReferences(blob, catalogue);
  const listIds = (kind: Reference['kind']) => references.flatMap((each) => (each.kind === kind ? [each.id] : []));
  const [credentials, workflows] = [listIds('credential'), listIds('workflow')];
  const db = database.reader(tenantId);
  const [credentialRows, workflowRows] = await Promise.all([
    credentials.length === 0
      ? []
      : db.credential.findMany({ where: { tenantId, id: { in: credentials } }, select: { id: true } }),
    workflows.length === 0
      ? []
      : db.workflow.findMany({ where: { tenantId, id: { in: workflows }, deletedAt: null }, select: { id: true } }),
  ]);
  const found = { credential: new Set(credentialRows.map(toId)), workflow: new Set(workflowRows.map(toId)) };
  return references.filter(({ kind, id }) => !found[kind].has(id));
}

const toId = ({ id }: { id: bigint }): bigint => id;

function findReferences(blob: WorkflowBlob, catalogue: NodeCatalogue): Reference[] {
  const credentials = [...walkNodes(blob)].flatMap(({ path: at, place, node }): Reference[] =>
    listCredentialFields(findManifest(node, catalogue)?.config).flatMap(({ key }): Reference[] => {
      const id = parseCredentialId(node.config[key]);
      if (id === undefined) return [];
      const message = `config.${key}: There is no credential ${id}; name one that exists.`;
      return [{ kind: 'credential', id: BigInt(id), at, path: `${place}.config.${key}`, message }];
    }),
  );
  const workflows = workflowReferences(blob).map(({ nodeId, field, path, workflowId: id }): Reference => {
    const sentence = `There is no workflow ${id}; name one that exists.`;
    const message = nodeId === null ? sentence : `${field}: ${sentence}`;
    return { kind: 'workflow', id, at: nodeId ?? field, path, message };
  });
  return [...credentials, ...workflows];
}
