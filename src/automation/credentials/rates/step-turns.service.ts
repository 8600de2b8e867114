import { RateLimitedError } from '#src/automation/node-api/rate-limited-error.ts';
import type { Turns } from './turns.service.ts';

/** A credential that a node uses. `isLimited` is true if it states a rate limit, or an answer of its API has shown one. */
interface Used {
  id: bigint;
  isLimited: boolean;
}

type Answer = Parameters<Turns['learn']>[1];

/** Handles rate limits for one attempt at a step: waits before each request with a limited credential, and learns from the answers. */
export class StepTurns {
  readonly #turns: Turns;
  readonly #step: { tenantId: string; workflowId: number; runId: number; path: string };
  /** Credentials whose limits became known from the answers during this attempt. */
  readonly #newlyLimited = new Set<bigint>();
  /** True after an answer: the node can then no longer be started again without repeating its work. */
  #hasAnswer = false;
  #wasRefused = false;
  /** Set if the attempt has to end so that the step waits without its worker. */
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

  /** Learns from an answer. True if the API refused the request because of a limit. */
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
