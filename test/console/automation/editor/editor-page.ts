import type { Browser, Page } from 'playwright-core';
import { openPage } from '#test/console/commerce/signed-in.ts';
import type { TestConsole } from '#test/setup/console.ts';

const admin = { tenant: 'acme-shop', roles: ['admin'] };

/** A node that a test draws. */
export const setNode = (id: string, values: object, x = 0) => ({
  id,
  node: 'core:set',
  version: '1.0.0',
  config: { values },
  position: { x, y: 0 },
});

export const makeBlob = (nodes: readonly object[], edges: readonly (readonly [string, string])[] = []) => ({
  version: 'v1',
  nodes,
  edges: edges.map(([node, to]) => ({ from: { node, branch: 'default' }, to })),
});

/** A workflow on the server of a test, and what its editor shows. */
export class EditedWorkflow {
  readonly id: string;
  readonly #running: TestConsole;

  private constructor(running: TestConsole, id: string) {
    this.#running = running;
    this.id = id;
  }

  static async create(running: TestConsole, name: string, blob: unknown): Promise<EditedWorkflow> {
    const { createWorkflow } = await ask<{ createWorkflow: { workflow: { id: string } } }>(
      running,
      'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } } }',
      { input: { name, blob } },
    );
    return new EditedWorkflow(running, createWorkflow.workflow.id);
  }

  /** Its editor in a browser context of its own; `search` begins with `?`. */
  open(browser: Browser, search = ''): Promise<Page> {
    return openPage(browser, this.#running, `editor/${this.id.replaceAll('=', '')}${search}`);
  }

  /** What runs, and the draft beside it. */
  async read(): Promise<{ revision: number; blob: Blob; draft: { version: number; blob: Blob } | null }> {
    const { workflow } = await ask<{ workflow: Awaited<ReturnType<EditedWorkflow['read']>> }>(
      this.#running,
      'query ($id: ID!) { workflow(id: $id) { revision blob draft { version blob } } }',
      { id: this.id },
    );
    return workflow;
  }

  /** Publishes a blob, as somebody else would. */
  async publish(blob: unknown, note: string): Promise<void> {
    await ask(
      this.#running,
      'mutation ($input: UpdateWorkflowInput!) { updateWorkflow(input: $input) { ... on UpdateWorkflowPayload { workflow { revision } } } }',
      { input: { id: this.id, blob, note } },
    );
  }

  /** Discards the draft, as somebody else would. */
  async discardDraft(): Promise<void> {
    const { draft } = await this.read();
    await ask(
      this.#running,
      'mutation ($input: DiscardWorkflowDraftInput!) { discardWorkflowDraft(input: $input) { ... on DiscardWorkflowDraftPayload { workflow { revision } } } }',
      { input: { workflowId: this.id, version: draft?.version } },
    );
  }

  /** Deletes it, as somebody else would. */
  async delete(): Promise<void> {
    await ask(
      this.#running,
      'mutation ($input: DeleteWorkflowInput!) { deleteWorkflow(input: $input) { __typename } }',
      { input: { id: this.id } },
    );
  }
}

interface Blob {
  nodes: { id: string; node: string; config: Record<string, unknown> }[];
  edges: { from: object; to: string }[];
}

async function ask<Data>(running: TestConsole, document: string, variables: object): Promise<Data> {
  const { data, errors } = await running.api.graphql<Data>(document, variables, admin);
  if (!data) throw new Error(JSON.stringify(errors));
  return data;
}

export const savedState = (page: Page) => page.getByRole('status').filter({ hasText: /^Saved$/ });
export const findCanvas = (page: Page) => page.getByRole('group', { name: 'Graph of the workflow' });
