import workerPath from 'causeway:worker/automation/editor/form/code/types/types.worker.ts';
import { language } from '#console/words/language.ts';
import type { Answers, Asked, Kind, Question, Start, Told } from './protocol.ts';

/** The part of Trusted Types that a worker needs; its value is typed as the URL that browsers without them take. */
interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => { createScriptURL: (url: string) => URL };
}

/** Its only input is the address below, which the build wrote. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('causeway-worker', {
  createScriptURL: (url) => url,
});

/** Code can keep the compiler busy for much longer. */
const answerMs = 5_000;

interface Waiting {
  resolve: (answer: unknown) => void;
}

/** A worker with the compiler. It ends when an answer takes too long; nothing is answered after that. */
export class TypeWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<boolean>;
  #state: 'loading' | 'ready' | 'ended' = 'loading';
  #setReady: (isReady: boolean) => void = () => undefined;
  #lastId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const url = new URL(workerPath, import.meta.url);
    this.#worker = new Worker(policy?.createScriptURL(url.href) ?? url, { type: 'module' });
    this.#ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Told>) => this.#hear(data));
    this.#worker.addEventListener('error', () => this.end());
    this.#tell({ language });
  }

  get state(): 'loading' | 'ready' | 'ended' {
    return this.#state;
  }

  /** Waits until the compiler is loaded. Undefined if there is no answer. */
  async ask<K extends Kind>(question: Question & { kind: K }): Promise<Answers[K] | undefined> {
    if (!(await this.#ready) || this.#state === 'ended') return undefined;
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'] });
      this.#tell({ ...question, id });
      if (this.#waiting.size === 1) this.#watch();
    });
  }

  end(): void {
    this.#state = 'ended';
    clearTimeout(this.#timer);
    this.#worker.terminate();
    this.#setReady(false);
    for (const { resolve } of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #tell(message: Start | Asked): void {
    const transferred: Transferable[] = [];
    this.#worker.postMessage(message, transferred);
  }

  #hear(told: Told): void {
    if (told === 'ready') {
      this.#state = 'ready';
      return this.#setReady(true);
    }
    this.#waiting.get(told.id)?.resolve(told.answer);
    this.#waiting.delete(told.id);
    this.#watch();
  }

  /** Limits the time until the next answer; the worker answers one question after another. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.end(), answerMs);
  }
}
