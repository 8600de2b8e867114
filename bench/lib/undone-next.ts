const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((key) => others.includes(key));

/**
 * Finds the keys that the next undo may change, from what the page showed after each of its edits. Edits of one kind within a second are
 * undone together, so an undo of several edits of the same keys may have taken back one of them or all.
 */
export class UndoneNext {
  /** The edits, oldest first. `isUndone`: the edit may already be undone completely. */
  #steps: { keys: readonly string[]; isUndone: boolean }[] = [];

  get keys(): readonly string[] {
    const from = this.#steps.findLastIndex(({ isUndone }) => !isUndone);
    return this.#steps.slice(Math.max(0, from)).flatMap(({ keys }) => keys);
  }

  readonly #next = () => this.#steps.findLast(({ isUndone }) => !isUndone);

  edited(keys: readonly string[]): void {
    const last = this.#steps.at(-1);
    if (last && isSame(last.keys, keys)) last.isUndone = false;
    else this.#steps.push({ keys, isUndone: false });
  }

  /** Handles an undo. Without keys, the undo changed nothing that the page shows. */
  undone(keys: readonly string[]): void {
    const step =
      keys.length === 0 ? this.#next() : this.#steps.findLast((each) => each.keys.some((key) => keys.includes(key)));
    if (!step) return;
    if (keys.length > 0) this.#steps.length = this.#steps.indexOf(step) + 1;
    step.isUndone = true;
    // An edit after an undo may have been merged with an earlier edit of the same keys.
    for (let next = this.#next(); next && isSame(next.keys, step.keys); next = this.#next()) next.isUndone = true;
  }
}
