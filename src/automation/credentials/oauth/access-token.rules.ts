import type { DisconnectedStatus } from '#src/automation/credentials/connection.rules.ts';
import { AppError } from '#src/infra/errors.ts';

interface Circumstances {
  isRetryable?: boolean;
  status?: DisconnectedStatus;
}

/**
 * Why there is no access token. `isRetryable`: a retry may work without anyone acting. `status`: the credential's status, when
 * that is the reason.
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
