import { AppError } from '#src/platform/errors.ts';

/** Why there is no access token. `isRetryable`: the same may work later, without anybody doing something. */
export class AccessTokenError extends AppError {
  readonly isRetryable: boolean;

  constructor(message: string, { isRetryable = false }: { isRetryable?: boolean } = {}) {
    super(isRetryable ? 'UNAVAILABLE' : 'UNPROCESSABLE', message);
    this.name = 'AccessTokenError';
    this.isRetryable = isRetryable;
  }
}
