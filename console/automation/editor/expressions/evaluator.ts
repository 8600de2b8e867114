/** What an expression yields, as it is shown. */
export type Evaluation =
  | { kind: 'value'; text: string; type: string }
  | { kind: 'nothing' }
  | { kind: 'fault'; message: string; position: number };

type Evaluate = (texts: readonly string[]) => Promise<readonly Evaluation[]>;

const pauseMs = 120;
/** The number of texts that one request evaluates at most. */
const mostTexts = 100;
const keptResults = 500;

/**
 * Evaluates what the fields of a form hold, a moment after the last key. All fields share one request, which asks only for what is not known
 * yet. Answers are kept by text, so a late one never stands for a newer text.
 */
export class Evaluator {
  readonly #evaluate: Evaluate;
  readonly #wanted = new Map<string, readonly string[]>();
  readonly #results = new Map<string, Evaluation>();
  readonly #asked = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #version = 0;

  constructor(evaluate: Evaluate) {
    this.#evaluate = evaluate;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Grows with each answer. */
  readonly version = (): number => this.#version;

  readonly result = (text: string): Evaluation | undefined => this.#results.get(text);

  /** Says what a field holds now; nothing removes it. */
  want(field: string, texts: readonly string[]): void {
    if (texts.length === 0) this.#wanted.delete(field);
    else this.#wanted.set(field, texts);
    if (texts.every((text) => this.#results.has(text) || this.#asked.has(text))) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), pauseMs);
  }

  async #ask(): Promise<void> {
    const open = new Set([...this.#wanted.values()].flat());
    const texts = [...open].filter((text) => !this.#results.has(text) && !this.#asked.has(text)).slice(0, mostTexts);
    if (texts.length === 0) return;
    for (const text of texts) this.#asked.add(text);
    const answers = await this.#evaluate(texts).catch((): Evaluation[] => []);
    for (const [index, text] of texts.entries()) {
      this.#asked.delete(text);
      const answer = answers[index];
      if (answer) this.#results.set(text, answer);
    }
    for (const text of this.#results.keys()) {
      if (this.#results.size <= keptResults) break;
      this.#results.delete(text);
    }
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
