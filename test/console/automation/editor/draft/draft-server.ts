import type { KeptDraft, KeptDrafts } from '#console/automation/editor/draft/kept-drafts.ts';
import type { SaveAnswer, StoredDraft } from '#console/automation/editor/draft/stored-draft.ts';

/** What may happen to a save on its way: it arrives, it does not, or its answer does not. */
export type Fault = 'none' | 'lost' | 'answer-lost';

/** Saves as the graph does: a save that began with another version changes nothing. */
export class DraftServer {
  stored: StoredDraft;
  faults: Fault[] = [];

  constructor(blob: unknown) {
    this.stored = { version: 0, baseRevision: 1, blob };
  }

  readonly save = async ({ version, baseRevision, blob }: StoredDraft): Promise<SaveAnswer> => {
    const fault = this.faults.shift() ?? 'none';
    await Promise.resolve();
    if (fault === 'lost') throw new Error('offline');
    if (version !== this.stored.version) return { kind: 'stale', stored: this.stored };
    this.stored = { version: version + 1, baseRevision, blob: structuredClone(blob) };
    if (fault === 'answer-lost') throw new Error('offline');
    return { kind: 'saved', draft: this.stored, isMerged: false };
  };
}

/** The storage of a browser, which outlives its tabs. */
export function memoryStorage(): KeptDrafts {
  let text: string | undefined;
  return {
    read: () => (text === undefined ? undefined : (JSON.parse(text) as KeptDraft)),
    write: (draft) => {
      text = JSON.stringify(draft);
      return true;
    },
    clear: () => {
      text = undefined;
    },
  };
}
