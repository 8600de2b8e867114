import type { Change } from '#console/automation/editor/model/changes.ts';
import type { DraftParts } from '#console/automation/editor/model/draft.ts';
import { readJson } from '#console/graph/exact-numbers.ts';

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
  /** What a tab before this one has left unsaved; each call gives what the next one left. */
  read: () => KeptDraft | undefined;
  /** False where the storage is full or blocked. Stands for what was read last, too. */
  write: (draft: KeptDraft) => boolean;
  /** Removes what was written, and what was read last. */
  clear: () => void;
}

interface Place {
  tenant: string;
  workflowId: string;
  /** The user who edits. Unsaved changes are stored by user, because several may sign in to the same browser. */
  user: string;
}

/** In the storage of the browser, by workflow, user and tab; it survives a crash of the tab. Two tabs write to places of their own. */
export function keptDrafts(storage: () => Storage, { tenant, workflowId, user }: Place): KeptDrafts {
  const edits = `causeway-draft:${tenant}/${workflowId}:${user}:`;
  const own = `${edits}${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  let left: string[] | undefined;
  let taken: { key: string; text: string } | undefined;
  /** A tab that is still open may have written more there, which is its own to save. */
  const removeTaken = () => {
    if (taken && storage().getItem(taken.key) === taken.text) storage().removeItem(taken.key);
    taken = undefined;
  };
  return {
    read: () =>
      attempt(() => {
        left ??= Object.keys(storage())
          .filter((key) => key.startsWith(edits))
          .toSorted();
        for (let key = left.shift(); key !== undefined; key = left.shift()) {
          const text = storage().getItem(key);
          const draft = text === null ? undefined : attempt(() => readKept(text));
          if (text === null || !draft) continue;
          taken = { key, text };
          return draft;
        }
        return undefined;
      }),
    write: (draft) =>
      attempt(() => {
        storage().setItem(own, JSON.stringify(draft));
        removeTaken();
        return true;
      }) ?? false,
    clear: () =>
      attempt(() => {
        storage().removeItem(own);
        removeTaken();
      }),
  };
}

function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function readKept(text: string): KeptDraft | undefined {
  const { version, baseRevision, base, draft, inDoubt = [] } = readJson(text) as Partial<KeptDraft>;
  return typeof version === 'number' && typeof baseRevision === 'number' && base && draft
    ? { version, baseRevision, base, draft, inDoubt }
    : undefined;
}

/** For those who may not save: nothing is kept, and what was kept while they could stays where it is. */
export const nothingKept: KeptDrafts = { read: () => undefined, write: () => false, clear: () => undefined };
