import type { Json } from '#console/automation/editor/model/graph.ts';

/** What the server has: a draft, or the newest revision where there is none (`version` 0). */
export interface StoredDraft {
  version: number;
  baseRevision: number;
  blob: unknown;
  /** By the path of their node; absent where they are as they were. */
  pins?: unknown;
}

/** A draft as it is sent to the server. Without `pins`, the server keeps the pins that it has. */
export interface DraftToSave extends StoredDraft {
  blob: Json;
  pins?: Json;
}

/** What the server answered to a save. */
export type SaveAnswer =
  | { kind: 'saved'; draft: StoredDraft; isMerged: boolean }
  /** Somebody else has saved or published since; `base` is what that and the save both began with. */
  | { kind: 'stale'; stored: StoredDraft; base?: unknown }
  /** The save is wrong, and the same one will be refused again. */
  | { kind: 'refused'; message: string }
  | { kind: 'unreachable' }
  /** How long the server accepts no more saves, in milliseconds. */
  | { kind: 'busy'; afterMs: number };
