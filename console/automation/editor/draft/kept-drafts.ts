import type { Change } from '#console/automation/editor/model/changes.ts';
import type { DraftParts } from '#console/automation/editor/model/draft.ts';

/** The unsaved changes of a tab, with what a later merge with the server needs. */
export interface KeptDraft {
  version: number;
  baseRevision: number;
  /** What the edit began with. */
  base: DraftParts;
  draft: DraftParts;
  /** Changes to what the edit began with that were sent and not answered: the server may have any of them. */
  inDoubt?: readonly (readonly Change[])[];
}

/** The place in this browser for the unsaved changes of one workflow. */
export interface KeptDrafts {
  read: () => KeptDraft | undefined;
  /** False where the storage is full or blocked. */
  write: (draft: KeptDraft) => boolean;
  clear: () => void;
}

/** In the storage of the browser, by tenant and workflow; it survives a crash of the tab. */
export function keptDrafts(storage: () => Storage, tenant: string, workflowId: string): KeptDrafts {
  const key = `causeway-draft:${tenant}/${workflowId}`;
  const attempt = <Value>(act: () => Value): Value | undefined => {
    try {
      return act();
    } catch {
      return undefined;
    }
  };
  return {
    read: () => attempt(() => readKept(storage().getItem(key))),
    write: (draft) => attempt(() => (storage().setItem(key, JSON.stringify(draft)), true)) ?? false,
    clear: () => attempt(() => storage().removeItem(key)),
  };
}

function readKept(text: string | null): KeptDraft | undefined {
  if (text === null) return undefined;
  const { version, baseRevision, base, draft, inDoubt = [] } = JSON.parse(text) as Partial<KeptDraft>;
  return typeof version === 'number' && typeof baseRevision === 'number' && base && draft
    ? { version, baseRevision, base, draft, inDoubt }
    : undefined;
}
