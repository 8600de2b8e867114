import type { DisconnectedStatus } from '#src/automation/credentials/connection.rules.ts';
import { AppError } from '#src/infra/errors.ts';

interface Circumstances {
  isRetryable?: boolean;
  status?: DisconnectedStatus;
}

/**
 * Why there is no access token. `isRetryable`: the same may work later, without anybody doing something. `status`: what the
 * credential was found to be, or became, where that is the reason.
 */
export class AccessTokenError extends AppError {
  readonly isRetryable: boolean;
  readonly status: DisconnectedStatus | undefined;

  constructor(message: string, { isRetryable = false, status }: Circumstances = {}) {
    super(isRetryable ? 'UNAVAILABLE' : 'UNPROCESSABLE', message);
    this.name = 'AccessTokenError';
    this.isRetryable = isRetryable;
    this.status = status;
  }
}
