import type { KeptDraft, KeptDrafts } from '#console/automation/editor/draft/kept-drafts.ts';
import type { DraftToSave, SaveAnswer, StoredDraft } from '#console/automation/editor/draft/stored-draft.ts';

/** What may happen to a save on its way: it arrives, it does not, or its answer does not. */
export type Fault = 'none' | 'lost' | 'answer-lost';

/** Saves as the graph does: a save that began with another version changes nothing, and one without pins keeps those that there are. */
export class DraftServer {
  stored: StoredDraft;
  faults: Fault[] = [];
  readonly #blobs: unknown[];
  /** What was sent. */
  readonly saves: DraftToSave[] = [];

  constructor(blob: unknown) {
    this.stored = { version: 0, baseRevision: 1, blob, pins: {} };
    this.#blobs = [blob];
  }

  readonly save = async (sent: DraftToSave): Promise<SaveAnswer> => {
    const fault = this.faults.shift() ?? 'none';
    await Promise.resolve();
    if (fault === 'lost') throw new Error('offline');
    this.saves.push(sent);
    const { version, baseRevision, blob, pins = this.stored.pins } = sent;
    if (version !== this.stored.version) return { kind: 'stale', stored: this.stored, base: this.#blobs[version] };
    this.stored = { version: version + 1, baseRevision, blob: structuredClone(blob), pins: structuredClone(pins) };
    this.#blobs.push(this.stored.blob);
    if (fault === 'answer-lost') throw new Error('offline');
    const { pins: _, ...draft } = this.stored;
    return { kind: 'saved', draft, isMerged: false };
  };
}

/** Keeps what one tab leaves for the next one. */
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

/** What `localStorage` is to the tabs of one browser: its keys are its members, its methods are not. */
export function browserStorage(): Storage {
  const storage = Object.create({
    getItem: (key: string) => (storage[key] as string | undefined) ?? null,
    setItem: (key: string, text: string) => void (storage[key] = text),
    removeItem: (key: string) => void delete storage[key],
  }) as Storage;
  return storage;
}
