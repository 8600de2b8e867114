import { RateLimitedError } from '#src/automation/node-api/rate-limited-error.ts';
import type { Turns } from './turns.service.ts';

/** A credential that a node uses. `isLimited`: a rate limit is stated, or an API has told of one. */
interface Used {
  id: bigint;
  isLimited: boolean;
}

type Answer = Parameters<Turns['learn']>[1];

/** The turns of one attempt at a step: it waits before each request with a limited credential, and learns from the answers. */
export class StepTurns {
  readonly #turns: Turns;
  readonly #step: { tenantId: string; workflowId: number; runId: number; path: string };
  /** The credentials whose limits became known by the answers to this attempt. */
  readonly #newlyLimited = new Set<bigint>();
  /** After an answer the node cannot begin again without repeating what it did. */
  #hasAnswer = false;
  #wasRefused = false;
  /** Why the attempt has to end, and the step to wait without its worker. */
  rateLimited: RateLimitedError | undefined;

  constructor(turns: Turns, step: { tenantId: string; workflowId: number; runId: number; path: string }) {
    this.#turns = turns;
    this.#step = step;
  }

  /** Resolves when a request may be sent. Rejects with a RateLimitedError if that takes long and the step can wait without its worker. */
  async take(used: Used, signal: AbortSignal): Promise<void> {
    if (!this.#isLimited(used)) return;
    const options = { maySuspend: !this.#hasAnswer, isRefused: this.#wasRefused, signal };
    try {
      await this.#turns.take({ ...this.#step, credentialId: String(used.id) }, options);
    } catch (error) {
      if (error instanceof RateLimitedError) this.rateLimited = error;
      throw error;
    }
  }

  /** True if the API refused the request because of a limit. */
  async noteAnswer(credentials: readonly Used[], answer: Answer): Promise<boolean> {
    let isRefused = false;
    for (const used of credentials) {
      const credential = { tenantId: this.#step.tenantId, credentialId: String(used.id) };
      if (!(await this.#turns.learn(credential, answer, this.#isLimited(used)))) continue;
      this.#newlyLimited.add(used.id);
      isRefused = true;
    }
    if (isRefused) this.#wasRefused = true;
    else this.#hasAnswer = true;
    return isRefused;
  }

  #isLimited({ id, isLimited }: Used): boolean {
    return isLimited || this.#newlyLimited.has(id);
  }
}
