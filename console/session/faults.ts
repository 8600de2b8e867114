import {
  AuthorizationResponseError,
  JWT_TIMESTAMP_CHECK,
  OperationProcessingError,
  ResponseBodyError,
} from 'oauth4webapi';

/** Why somebody is not signed in. `session.words.ts` explains each in a sentence. */
export type SignInReason =
  /** They asked for it, here or in another tab. */
  | 'signed-out'
  /** The access token ran out, and the issuer gave no refresh token. */
  | 'expired'
  /** The issuer refused the refresh token: the session ended, or somebody ended it. */
  | 'ended'
  /** The issuer, or the user at its page, refused. */
  | 'denied'
  /** The code was used or is too old, or its sign-in began in a window that is gone. */
  | 'interrupted'
  | 'issuer-down'
  /** The issuer and the configuration of this server do not fit. */
  | 'issuer-refused'
  /** The API does not accept a token that the issuer has just given. */
  | 'token-refused'
  /** The clock of the server and of the issuer differ. */
  | 'clock'
  /** A page over plain http beyond this machine has no Web Crypto. */
  | 'insecure'
  | 'storage-blocked'
  | 'window-blocked'
  /** This window has signed in another tab and can be closed. */
  | 'window-done';

/** A sign-in or a refresh that failed. `detail` is the issuer's own text, if it gave one. */
export class SignInFault extends Error {
  readonly reason: SignInReason;
  readonly detail: string | null;

  constructor(reason: SignInReason, detail: string | null = null, cause?: unknown) {
    super(detail === null ? reason : `${reason}: ${detail}`, { cause });
    this.name = 'SignInFault';
    this.reason = reason;
    this.detail = detail;
  }
}

/** Rejection of `accessToken()` when nobody is signed in any more. */
export class SignedOut extends Error {
  readonly reason: SignInReason;

  constructor(reason: SignInReason) {
    super(`Signed out: ${reason}.`);
    this.name = 'SignedOut';
    this.reason = reason;
  }
}

/** What an error of oauth4webapi or of `fetch` means for the user. `refusedGrant` is the reason when the issuer takes a grant no more. */
export function toFault(error: unknown, refusedGrant: 'ended' | 'interrupted'): SignInFault {
  if (error instanceof SignInFault) return error;
  if (error instanceof AuthorizationResponseError) {
    const reason = error.error === 'access_denied' ? 'denied' : 'issuer-refused';
    return new SignInFault(reason, error.error_description ?? error.error, error);
  }
  if (error instanceof ResponseBodyError) {
    if (error.error === 'invalid_grant') return new SignInFault(refusedGrant, null, error);
    if (error.status >= 500) return new SignInFault('issuer-down', null, error);
    return new SignInFault('issuer-refused', error.error_description ?? error.error, error);
  }
  if (error instanceof OperationProcessingError) {
    if (error.code === JWT_TIMESTAMP_CHECK) return new SignInFault('clock', null, error);
    const isOutage = error.cause instanceof Response && error.cause.status >= 500;
    if (isOutage) return new SignInFault('issuer-down', null, error);
    return new SignInFault('issuer-refused', error.message, error);
  }
  // `fetch` rejects with a TypeError, whatever the network or CORS refused.
  return new SignInFault('issuer-down', null, error);
}
