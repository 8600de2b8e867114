import { readBlob, writeBlob } from '#console/automation/editor/model/blob.ts';
import { apply, difference } from '#console/automation/editor/model/changes.ts';
import { changesOf, type Command } from '#console/automation/editor/model/commands.ts';
import type { Graph } from '#console/automation/editor/model/graph.ts';
import { emptyHistory, type History, record, redo, undo } from '#console/automation/editor/model/history.ts';
import { type Conflict, decide, merge, withoutTorn } from '#console/automation/editor/model/merge.ts';
import type { KeptDraft, KeptDrafts } from './kept-drafts.ts';

/** What the server has: a draft, or the newest revision where there is none (`version` 0). */
export interface StoredDraft {
  version: number;
  baseRevision: number;
  blob: unknown;
}

/** What the server answered to a save. */
export type SaveAnswer =
  | { kind: 'saved'; draft: StoredDraft; isMerged: boolean }
  /** Somebody else has saved since. */
  | { kind: 'stale'; stored: StoredDraft }
  /** The save is wrong, and the same one will be refused again. */
  | { kind: 'refused'; message: string }
  | { kind: 'unreachable' };

export interface DraftState {
  graph: Graph;
  history: History;
  saving: 'saved' | 'unsaved' | 'saving' | 'unreachable' | 'refused' | 'conflict';
  /** Why it was refused. */
  message?: string;
  /** What this edit and another disagree on; nothing is saved until it is decided. */
  conflicts: readonly Conflict[];
  /** Whether unsaved changes would survive a crash of this tab. */
  isKept: boolean;
  version: number;
  baseRevision: number;
}

/** Milliseconds after the last change, and at most after the first. */
const pauseMs = 400;
const mostMs = 900;
const firstRetryMs = 1_000;
const lastRetryMs = 30_000;

/**
 * The edit of one draft: its changes are performed, undone, saved within a second, merged with those of others, and kept in this browser
 * until the server has them. Knows neither React nor the graph API.
 */
export class DraftSession {
  #state: DraftState;
  /** The graph of the server from which the present one was made. */
  #base: Graph;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsavedSince: number | undefined;
  #retryMs = firstRetryMs;
  #isClosed = false;
  /** The save that is on its way. */
  #going: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #save: (draft: StoredDraft) => Promise<SaveAnswer>;
  readonly #kept: KeptDrafts;

  /** Goes on from what an earlier tab has left unsaved, merged with what the server has now. */
  constructor(stored: StoredDraft, save: (draft: StoredDraft) => Promise<SaveAnswer>, kept: KeptDrafts) {
    this.#save = save;
    this.#kept = kept;
    this.#base = readBlob(stored.blob);
    const { version, baseRevision } = stored;
    this.#state = {
      graph: this.#base,
      history: emptyHistory,
      saving: 'saved',
      conflicts: [],
      isKept: true,
      version,
      baseRevision,
    };
    const left = kept.read();
    if (left) this.#recover(left);
  }

  readonly state = (): DraftState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Changes the graph. Changes of one `kind` within a second are undone together. */
  perform(label: string, command: Command, kind?: string): void {
    const changes = changesOf(this.#state.graph, command);
    if (changes.length === 0) return;
    const step = { label, changes, at: Date.now(), ...(kind !== undefined && { kind }) };
    this.#change(apply(this.#state.graph, changes), record(this.#state.history, step));
  }

  /** Takes the last change back, or does it again. Tells how many values somebody else has changed since, which stay. */
  readonly undo = (): number => this.#travel(undo(this.#state.history, this.#state.graph));
  readonly redo = (): number => this.#travel(redo(this.#state.history, this.#state.graph));

  #travel(travelled: ReturnType<typeof undo>): number {
    if (!travelled) return 0;
    this.#change(travelled.graph, travelled.history);
    return travelled.kept;
  }

  /** Takes in what somebody else has saved. */
  receive(stored: StoredDraft): void {
    const { version, baseRevision } = this.#state;
    const isOld = stored.version !== 0 && stored.version < version;
    if (isOld || (stored.version === version && stored.baseRevision === baseRevision)) return;
    this.#rebase(this.#state.graph, stored);
  }

  /** Ends a conflict: at each key, the value of one side holds. */
  decide(takes: (key: string) => 'mine' | 'theirs'): void {
    const { graph, conflicts } = this.#state;
    this.#set({ graph: decide(graph, conflicts, takes), conflicts: [], saving: 'unsaved' });
    this.#keep();
    void this.flush();
  }

  /** Saves now what is unsaved; resolves once the server has answered. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#state.saving === 'conflict') return Promise.resolve();
    this.#going ??= this.#send().finally(() => (this.#going = undefined));
    return this.#going;
  }

  async #send(): Promise<void> {
    const { graph: sent, version, baseRevision } = this.#state;
    if (difference(this.#base, sent).length === 0) {
      this.#settle();
      return;
    }
    this.#unsavedSince = undefined;
    this.#set({ saving: 'saving' });
    const answer = await this.#save({ version, baseRevision, blob: writeBlob(sent) }).catch((): SaveAnswer => ({
      kind: 'unreachable',
    }));
    this.#take(sent, answer);
  }

  /** Nothing is sent any more; what is unsaved stays in this browser. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #take(sent: Graph, answer: SaveAnswer): void {
    if (answer.kind === 'unreachable') {
      this.#set({ saving: 'unreachable' });
      this.#schedule(this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
      return;
    }
    this.#retryMs = firstRetryMs;
    if (answer.kind === 'refused') {
      this.#set({ saving: 'refused', message: answer.message });
      return;
    }
    if (answer.kind === 'stale') {
      this.#set({ saving: 'unsaved' });
      this.#rebase(this.#state.graph, answer.stored);
      return;
    }
    const { draft, isMerged } = answer;
    // Changes that were made during the save are applied to its result.
    const stored = isMerged ? readBlob(draft.blob) : sent;
    const graph = isMerged ? withoutTorn(merge(sent, this.#state.graph, stored).graph) : this.#state.graph;
    this.#base = stored;
    this.#set({ graph, version: draft.version, baseRevision: draft.baseRevision, saving: 'unsaved' });
    if (difference(stored, graph).length === 0) this.#settle();
    else this.#schedule(pauseMs);
  }

  #settle(): void {
    this.#unsavedSince = undefined;
    this.#kept.clear();
    this.#set({ saving: 'saved', isKept: true });
  }

  /** Puts the changes of this edit on top of what the server has. */
  #rebase(mine: Graph, { version, baseRevision, blob }: StoredDraft): void {
    const theirs = readBlob(blob);
    const { graph: merged, conflicts } = merge(this.#base, mine, theirs);
    const graph = conflicts.length > 0 ? merged : withoutTorn(merged);
    this.#base = theirs;
    this.#set({ graph, conflicts, version, baseRevision });
    if (conflicts.length > 0) this.#set({ saving: 'conflict' });
    else if (difference(theirs, graph).length === 0) this.#settle();
    else this.#schedule(0);
    if (this.#state.saving !== 'saved') this.#keep();
  }

  #recover({ version, baseRevision, base, blob }: KeptDraft): void {
    const { graph, version: storedVersion, baseRevision: storedRevision } = this.#state;
    const mine = readBlob(blob);
    if (version === storedVersion && baseRevision === storedRevision) {
      if (difference(graph, mine).length === 0) return this.#kept.clear();
      this.#set({ graph: mine, saving: 'unsaved' });
      return this.#schedule(0);
    }
    this.#base = readBlob(base);
    this.#rebase(mine, { version: storedVersion, baseRevision: storedRevision, blob: writeBlob(graph) });
  }

  #change(graph: Graph, history: History): void {
    this.#set({ graph, history });
    if (this.#state.saving !== 'saving' && this.#state.saving !== 'conflict') this.#set({ saving: 'unsaved' });
    this.#keep();
    this.#unsavedSince ??= Date.now();
    if (this.#state.saving === 'unsaved') {
      this.#schedule(Math.max(0, Math.min(pauseMs, this.#unsavedSince + mostMs - Date.now())));
    }
  }

  #keep(): void {
    const { version, baseRevision, graph } = this.#state;
    const isKept = this.#kept.write({ version, baseRevision, base: writeBlob(this.#base), blob: writeBlob(graph) });
    if (isKept !== this.#state.isKept) this.#set({ isKept });
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.flush(), ms);
  }

  #set(changes: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}
