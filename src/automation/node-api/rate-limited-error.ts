import { NodeError } from './node-error.ts';

/**
 * The error of a request that has to wait for the rate limit of its credential. The engine records that the step waits, and attempts it again
 * in its turn. Outside of runs, this is an ordinary failure.
 */
export class RateLimitedError extends NodeError {
  /** The id of the credential. */
  readonly credentialId: string;
  /** When the turn is expected. */
  readonly expectedAt: Date;
  /** True if the API has refused the request because of its limit; otherwise it was not sent. */
  readonly isRefused: boolean;

  constructor(wait: { credentialId: string; expectedAt: Date; isRefused: boolean }) {
    super(
      'RATE_LIMITED',
      wait.isRefused
        ? 'The API refused the request because of its rate limit.'
        : 'The request waits for the rate limit of its credential.',
      { retryable: true },
    );
    this.credentialId = wait.credentialId;
    this.expectedAt = wait.expectedAt;
    this.isRefused = wait.isRefused;
  }
}
