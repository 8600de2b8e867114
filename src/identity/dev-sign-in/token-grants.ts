import type { DevIssuer } from '#src/identity/dev-issuer.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

const accessSeconds = 900;

/** A refusal in the form of RFC 6749, section 5.2. */
interface Refusal {
  error: 'invalid_grant' | 'unsupported_grant_type';
  error_description: string;
}

/** The grants of the token endpoint: authorization code and refresh token. */
export class TokenGrants {
  readonly #issuer: DevIssuer;
  readonly #codes: AuthorizationCodes;
  readonly #sessions: RefreshTokens;

  constructor(issuer: DevIssuer, codes: AuthorizationCodes, sessions: RefreshTokens) {
    this.#issuer = issuer;
    this.#codes = codes;
    this.#sessions = sessions;
  }

  async exchange(form: URLSearchParams): Promise<object | Refusal> {
    const type = form.get('grant_type');
    if (type !== 'authorization_code' && type !== 'refresh_token')
      return refuse('unsupported_grant_type', 'Send authorization_code or refresh_token.');
    const tokens = type === 'refresh_token' ? await this.#refresh(form) : await this.#redeem(form);
    return (
      tokens ?? refuse('invalid_grant', 'The code or token was used before, has expired, or is not of this client.')
    );
  }

  async #redeem(form: URLSearchParams): Promise<object | undefined> {
    const clientId = form.get('client_id') ?? '';
    const signIn = this.#codes.redeem(form.get('code') ?? '', {
      clientId,
      redirectUri: form.get('redirect_uri') ?? '',
      verifier: form.get('code_verifier') ?? '',
    });
    if (!signIn) return undefined;
    const { scope, nonce } = signIn.request;
    const session = { clientId, scope, claims: signIn.claims };
    const tokens = await this.#sign({ ...session, nonce });
    if (!scope.split(' ').includes('offline_access')) return tokens;
    return { ...tokens, refresh_token: await this.#sessions.begin(session) };
  }

  async #refresh(form: URLSearchParams): Promise<object | undefined> {
    const rotated = await this.#sessions.rotate(form.get('refresh_token') ?? '', form.get('client_id') ?? '');
    return rotated && { ...(await this.#sign(rotated.session)), refresh_token: rotated.token };
  }

  async #sign(signedIn: {
    clientId: string;
    scope: string;
    claims: Record<string, unknown>;
    nonce?: string | undefined;
  }): Promise<object> {
    const { clientId, scope, claims, nonce } = signedIn;
    const { sub, email, name } = claims;
    const identity = { sub, email, name, ...(nonce !== undefined && { nonce }) };
    return {
      access_token: await this.#issuer.sign({ ...claims, client_id: clientId }, accessSeconds),
      id_token: await this.#issuer.sign(identity, accessSeconds, clientId),
      token_type: 'Bearer',
      expires_in: accessSeconds,
      scope,
    };
  }
}

const refuse = (error: Refusal['error'], error_description: string): Refusal => ({ error, error_description });
