import type { TestConsole } from '#test/setup/console.ts';

const admin = { tenant: 'acme-shop', roles: ['admin'] };

export interface DraftNode {
  id: string;
  node: string;
  version: string;
  config: Record<string, unknown>;
}

/** Makes an empty workflow with a draft of these nodes, and returns the address of its editor below the tenant, and its id. */
export async function openDraft(
  { api }: TestConsole,
  name: string,
  nodes: readonly DraftNode[],
): Promise<{ id: string; address: string }> {
  const created = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } } }',
    { input: { name, blob: { version: 'v1', nodes: [], edges: [] } } },
    admin,
  );
  const id = created.data?.createWorkflow.workflow.id ?? '';
  const input = { workflowId: id, version: 0, baseRevision: 1, blob: { version: 'v1', nodes, edges: [] } };
  const { data } = await api.graphql<{ saveWorkflowDraft: { __typename: string } }>(
    'mutation ($input: SaveWorkflowDraftInput!) { saveWorkflowDraft(input: $input) { __typename ... on Error { message } } }',
    { input },
    admin,
  );
  if (data?.saveWorkflowDraft.__typename !== 'SaveWorkflowDraftPayload') throw new Error(JSON.stringify(data));
  return { id, address: `editor/${id.replaceAll('=', '')}` };
}

/** The nodes of the draft that the server has. */
export const draftNodes = async (running: TestConsole, id: string): Promise<DraftNode[]> =>
  (await draftBlob(running, id))?.nodes ?? [];

/** What the draft that the server has declares of the state store. */
export const draftState = async (running: TestConsole, id: string): Promise<unknown> =>
  (await draftBlob(running, id))?.state;

async function draftBlob(
  { api }: TestConsole,
  id: string,
): Promise<{ nodes: DraftNode[]; state?: unknown } | undefined> {
  const { data } = await api.graphql<{ workflow: { draft: { blob: { nodes: DraftNode[] } } | null } }>(
    'query ($id: ID!) { workflow(id: $id) { draft { blob } } }',
    { id },
    admin,
  );
  return data?.workflow.draft?.blob;
}
