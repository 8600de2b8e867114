import { apply, type Change, difference } from '#console/automation/editor/model/changes.ts';
import { changesOf, type Command } from '#console/automation/editor/model/commands.ts';
import { fillDefaults } from '#console/automation/editor/model/defaults.ts';
import { readDraft, writeDraft } from '#console/automation/editor/model/draft.ts';
import type { Graph } from '#console/automation/editor/model/graph.ts';
import { emptyHistory, type History, record, redo, undo } from '#console/automation/editor/model/history.ts';
import { decide, merge, undecidedBase, withoutTorn } from '#console/automation/editor/model/merge.ts';
import { isSame } from '#console/automation/editor/model/same.ts';
import type { DraftState } from './draft-state.ts';
import type { KeptDraft, KeptDrafts } from './kept-drafts.ts';
import { SavePace } from './save-pace.ts';
import type { DraftToSave, SaveAnswer, StoredDraft } from './stored-draft.ts';

const mostInDoubt = 20;

/**
 * The edit of one draft: its changes are performed, undone, saved within a second, merged with those of others, and kept in this browser
 * until the server has them. Knows neither React nor the graph API.
 */
export class DraftSession {
  #state: DraftState;
  /** The graph of the server from which the present one was made. */
  #base: Graph;
  /** Changes to the base that were sent and not answered: the server may have any of them. */
  #inDoubt: readonly (readonly Change[])[] = [];
  #isClosed = false;
  /** The save that is on its way. */
  #going: Promise<void> | undefined;
  readonly #pace = new SavePace(() => void this.flush());
  readonly #listeners = new Set<() => void>();
  readonly #save: (draft: DraftToSave) => Promise<SaveAnswer>;
  readonly #kept: KeptDrafts;

  /** Goes on from what earlier tabs have left unsaved, merged with what the server has now. */
  constructor(stored: StoredDraft, save: (draft: DraftToSave) => Promise<SaveAnswer>, kept: KeptDrafts) {
    this.#save = save;
    this.#kept = kept;
    this.#base = readDraft({ pins: {}, ...stored });
    const { version, baseRevision } = stored;
    this.#state = {
      graph: this.#base,
      history: emptyHistory,
      saving: 'saved',
      conflicts: [],
      received: [],
      isKept: true,
      version,
      baseRevision,
    };
    this.#recoverNext();
  }

  readonly state = (): DraftState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Changes the graph. Changes of one `kind` within a second are undone together. */
  perform(label: string, command: Command, kind?: string): void {
    const changes = fillDefaults(changesOf(this.#state.graph, command));
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
    if (!this.#isKnown(stored)) this.#rebase(this.#state.graph, stored);
  }

  /** Without a draft, the number of a new revision may have been read before its graph: a publication is answered with the number alone. */
  readonly #hasGraph = ({ blob, pins = {} }: StoredDraft): boolean =>
    difference(this.#base, readDraft({ blob, pins })).length === 0;

  /** Versions go on across drafts; 0: none any more. A draft is stored with the revision of its last merge; sessions may know a newer one. */
  readonly #isKnown = (stored: StoredDraft): boolean => {
    const later = stored.version - this.#state.version || stored.baseRevision - this.#state.baseRevision;
    return stored.version === 0 ? later === 0 && this.#hasGraph(stored) : later <= 0;
  };

  /** Ends a conflict: at each key, the value of one side holds. */
  decide(takes: (key: string) => 'mine' | 'theirs'): void {
    const { graph, conflicts } = this.#state;
    this.#set({ graph: decide(graph, conflicts, takes), conflicts: [], received: [], saving: 'unsaved' });
    this.#keep();
    void this.flush();
  }

  /** Saves now what is unsaved; resolves once the server has answered. */
  flush(): Promise<void> {
    this.#pace.stop();
    if (this.#isClosed || this.#state.conflicts.length > 0) return Promise.resolve();
    this.#going ??= this.#send().finally(() => (this.#going = undefined));
    return this.#going;
  }

  async #send(): Promise<void> {
    const { graph, version, baseRevision } = this.#state;
    const changes = difference(this.#base, graph);
    if (changes.length === 0 && this.#inDoubt.length === 0) return this.#settle();
    this.#pace.settle();
    this.#set({ saving: 'saving' });
    this.#inDoubt = [...this.#inDoubt, changes].slice(-mostInDoubt);
    // Whoever takes over from this tab must know that the server may get this.
    this.#keep();
    const { blob, pins } = writeDraft(graph);
    const hasPins = !isSame(pins, this.#basePins());
    const answer = await this.#save({ version, baseRevision, blob, ...(hasPins && { pins }) }).catch(
      (): SaveAnswer => ({ kind: 'unreachable' }),
    );
    this.#take({ graph, version }, answer);
  }

  readonly #basePins = () => writeDraft(this.#base).pins;

  /** Tries once more to save unsaved changes. If that fails, they stay in this browser's storage until the draft is opened again. */
  close(): void {
    this.#listeners.clear();
    void this.flush();
    this.#isClosed = true;
    this.#pace.end();
  }

  #take(sent: Pick<DraftState, 'graph' | 'version'>, answer: SaveAnswer): void {
    // What somebody else saved after that may have been received already, and disagree.
    const saving = (next: DraftState['saving']) => (this.#state.conflicts.length > 0 ? 'conflict' : next);
    if (answer.kind === 'unreachable' || answer.kind === 'busy') {
      this.#set({ saving: saving(answer.kind) });
      this.#pace.failed(answer.kind === 'busy' ? answer.afterMs : 0);
      return;
    }
    this.#pace.answered();
    if (answer.kind === 'refused') {
      this.#set({ saving: saving('refused'), message: answer.message });
      return;
    }
    this.#set({ saving: saving('unsaved') });
    const stored = answer.kind === 'stale' ? answer.stored : answer.draft;
    // A notice may have brought this version before the answer did. Merging it again, with an earlier base, would undo later changes.
    if (this.#isKnown(stored)) this.#pace.plan(0);
    else if (answer.kind === 'stale') {
      // The same draft beside a newer revision: what the draft has and that lacks was not removed there.
      if (stored.version === sent.version && answer.base !== undefined)
        this.#base = readDraft({ blob: answer.base, pins: this.#basePins() });
      this.#rebase(this.#state.graph, stored);
    } else {
      // Changes that were made during the save are applied to its result.
      this.#base = sent.graph;
      this.#inDoubt = [];
      if (answer.isMerged) this.#rebase(this.#state.graph, stored);
      else this.#goOn(stored);
    }
  }

  /** The server has what was sent. */
  #goOn({ version, baseRevision }: StoredDraft): void {
    this.#set({ version, baseRevision });
    if (difference(this.#base, this.#state.graph).length === 0) this.#settle();
    else this.#pace.planNext();
  }

  #settle(): void {
    this.#pace.settle();
    this.#kept.clear();
    this.#set({ saving: 'saved' });
    this.#recoverNext();
  }

  /** Puts the changes of this edit on top of what the server has. */
  #rebase(mine: Graph, { version, baseRevision, blob, pins = this.#basePins() }: StoredDraft): void {
    const theirs = readDraft({ blob, pins });
    // A save whose answer was lost is no change of somebody else, and may have been undone since.
    const isOwn = this.#inDoubt.some((changes) => difference(apply(this.#base, changes), theirs).length === 0);
    if (isOwn) this.#base = theirs;
    this.#inDoubt = [];
    const base = undecidedBase(this.#base, this.#state.conflicts);
    const { graph: merged, conflicts } = merge(base, mine, theirs);
    const graph = conflicts.length > 0 ? merged : withoutTorn(merged);
    const disputed = new Set(conflicts.map(({ key }) => key));
    const received = disputed.size === 0 ? [] : difference(base, theirs).filter(({ key }) => !disputed.has(key));
    this.#base = theirs;
    this.#set({ graph, conflicts, received, version, baseRevision });
    if (conflicts.length > 0) this.#set({ saving: 'conflict' });
    else if (difference(theirs, graph).length === 0) this.#settle();
    else this.#pace.plan(0);
    if (this.#state.saving !== 'saved') this.#keep();
  }

  /** What several tabs have left is taken over one after the other, each once the one before is saved. */
  #recoverNext(): void {
    const left = this.#isClosed ? undefined : this.#kept.read();
    if (left) this.#recover(left);
  }

  #recover({ base, draft, inDoubt = [], ...left }: KeptDraft): void {
    const { graph, version, baseRevision } = this.#state;
    this.#base = readDraft(base);
    this.#inDoubt = inDoubt;
    this.#set({ saving: 'unsaved' });
    this.#rebase(readDraft(draft), { version, baseRevision, ...writeDraft(graph) });
    if (inDoubt.length === 0 || left.version !== version) return;
    // The tab has ended, but what it sent may still be on its way.
    this.#inDoubt = inDoubt;
    this.#keep();
    this.#pace.plan(0);
  }

  #change(graph: Graph, history: History): void {
    // The user may go on editing while a conflict is open: its own side follows.
    const conflicts = this.#state.conflicts.map((conflict) => ({ ...conflict, mine: graph.get(conflict.key) }));
    this.#set({ graph, history, conflicts });
    // While the server cannot take saves, the next one waits for its turn, however much is changed meanwhile.
    const { saving } = this.#state;
    if (saving === 'saved' || saving === 'refused') this.#set({ saving: 'unsaved' });
    this.#keep();
    this.#pace.changed({ waits: this.#state.saving !== 'unsaved' });
  }

  #keep(): void {
    // Another session may have taken over by now.
    if (this.#isClosed) return;
    const { version, baseRevision, graph } = this.#state;
    const isKept = this.#kept.write({
      version,
      baseRevision,
      base: writeDraft(undecidedBase(this.#base, this.#state.conflicts)),
      draft: writeDraft(graph),
      inDoubt: this.#inDoubt,
    });
    if (isKept !== this.#state.isKept) this.#set({ isKept });
  }

  #set(changes: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}
