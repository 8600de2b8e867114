import { randomUUID } from 'node:crypto';
import { notifyWorkflow } from '#src/automation/workflows/workflow-notices.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { beatEditors, type EditorSession, removeEditor } from './workflow-editors.store.ts';

type PresenceDeps = Pick<Deps, 'database' | 'log'>;

const beatMs = 15_000;

/**
 * Who has which editor open, as the subscriptions of this process know it. Their heartbeats are stored together every 15 seconds, a statement for
 * each tenant, so that every process sees the editors of all. An editor ends with its subscription; that of a process which died, 45 seconds
 * later at most.
 */
export class EditorPresence {
  readonly #deps: PresenceDeps;
  readonly #beatMs: number;
  /** The open editors of each tenant that is watched here, by session. */
  readonly #tenants = new Map<string, { open: Map<string, EditorSession>; watchers: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: PresenceDeps, options: { beatMs?: number } = {}) {
    this.#deps = deps;
    this.#beatMs = options.beatMs ?? beatMs;
  }

  /** Removes editors of the tenant that have fallen silent for as long as somebody watches. Returns the function that ends it. */
  watch(tenantId: string): () => void {
    const tenant = this.#tenants.get(tenantId) ?? { open: new Map<string, EditorSession>(), watchers: 0 };
    this.#tenants.set(tenantId, tenant);
    tenant.watchers += 1;
    this.#timer ??= setInterval(() => void this.#beatAll(), this.#beatMs).unref();
    return () => {
      tenant.watchers -= 1;
      if (tenant.watchers === 0) this.#tenants.delete(tenantId);
      if (this.#tenants.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Opens an editor of a tenant that is watched. Returns the function that closes it. */
  open(tenantId: string, workflowId: number, name: string): () => void {
    const editor = { workflowId, session: randomUUID(), name };
    const open = this.#tenants.get(tenantId)?.open;
    open?.set(editor.session, editor);
    const begun = this.#beat(tenantId, [editor]);
    return () => {
      open?.delete(editor.session);
      void begun.then(() => this.#close(tenantId, editor));
    };
  }

  async #beatAll(): Promise<void> {
    for (const [tenantId, { open }] of this.#tenants) await this.#beat(tenantId, [...open.values()]);
  }

  /** A heartbeat that fails is made up for by the next. */
  #beat(tenantId: string, editors: readonly EditorSession[]): Promise<void> {
    return this.#attempt(() =>
      this.#deps.database.withTenantSql(tenantId, async (tx) => {
        for (const workflowId of await beatEditors(tx, tenantId, editors))
          notifyWorkflow(tx, tenantId, workflowId, 'editors');
      }),
    );
  }

  #close(tenantId: string, editor: EditorSession): Promise<void> {
    return this.#attempt(() =>
      this.#deps.database.withTenantSql(tenantId, async (tx) => {
        await removeEditor(tx, tenantId, editor);
        notifyWorkflow(tx, tenantId, editor.workflowId, 'editors');
      }),
    );
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the open editors of a tenant could not be stored');
    }
  }
}
