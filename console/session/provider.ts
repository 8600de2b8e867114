import * as oauth from 'oauth4webapi';
import { serverNow } from '#console/ui/clock.ts';
import { consoleAddress } from './addresses.ts';
import type { ConsoleConfig } from './config.ts';
import { toFault } from './faults.ts';
import type { Tokens } from './tokens.ts';

/** The values of a sign-in that the page needs again when the issuer returns the user. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the issuer says of itself. */
export type Metadata = oauth.AuthorizationServer;

type Keep = Pick<Tokens, 'idToken' | 'claims' | 'refreshToken' | 'obtainedAt'>;

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const auth = oauth.None();

/** The issuer that `config.json` names, as a client of the authorization code flow with PKCE. Every method throws a SignInFault. */
export class Provider {
  readonly redirectUri: string;
  readonly #config: ConsoleConfig;
  readonly #issuer: URL;
  #metadata: Promise<Metadata> | undefined;

  constructor(config: ConsoleConfig, metadata?: Metadata) {
    this.#config = config;
    this.#metadata = metadata && Promise.resolve(metadata);
    this.#issuer = new URL(config.issuer);
    this.redirectUri = consoleAddress('callback').href;
  }

  /** The address at the issuer that starts the attempt. */
  async authorizationAddress({ state, nonce, verifier }: Attempt): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.metadata();
    const url = new URL(endpoint ?? '');
    const { clientId, scopes, audience } = this.#config;
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: this.redirectUri,
      scope: scopes.join(' '),
      // Some providers issue tokens for an API only if it is named here; others ignore it.
      audience,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Exchanges the code with which the issuer returned to `address`. */
  async exchange(address: string, { state, nonce, verifier }: Attempt): Promise<Tokens> {
    const server = await this.metadata();
    try {
      const parameters = oauth.validateAuthResponse(server, this.#client, new URL(address), state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        auth,
        parameters,
        this.redirectUri,
        verifier,
        this.#options,
      );
      const checks = { expectedNonce: nonce, requireIdToken: true };
      return toTokens(await oauth.processAuthorizationCodeResponse(server, this.#client, response, checks));
    } catch (error) {
      throw toFault(error, 'interrupted');
    }
  }

  /** Spends the refresh token for the next tokens. */
  async refresh(held: Tokens, refreshToken: string): Promise<Tokens> {
    const server = await this.metadata();
    try {
      const response = await oauth.refreshTokenGrantRequest(server, this.#client, auth, refreshToken, this.#options);
      return toTokens(await oauth.processRefreshTokenResponse(server, this.#client, response), held);
    } catch (error) {
      throw toFault(error, 'ended');
    }
  }

  /** The address that ends the user's session at the issuer and returns here; null if the issuer has none. */
  async endSessionAddress(idToken: string | null): Promise<string | null> {
    const { end_session_endpoint: endpoint } = await this.metadata();
    if (endpoint === undefined) return null;
    const url = new URL(endpoint);
    if (idToken !== null) url.searchParams.set('id_token_hint', idToken);
    url.searchParams.set('client_id', this.#config.clientId);
    url.searchParams.set('post_logout_redirect_uri', this.redirectUri);
    return url.href;
  }

  get #client(): oauth.Client {
    return { client_id: this.#config.clientId, [oauth.clockSkew]: Math.round((serverNow() - Date.now()) / 1_000) };
  }

  get #options() {
    return { [oauth.allowInsecureRequests]: loopback.test(this.#issuer.hostname), signal: AbortSignal.timeout(20_000) };
  }

  /** Read once. */
  metadata(): Promise<Metadata> {
    this.#metadata ??= (async () => {
      try {
        return await oauth.processDiscoveryResponse(
          this.#issuer,
          await oauth.discoveryRequest(this.#issuer, this.#options),
        );
      } catch (error) {
        this.#metadata = undefined;
        throw toFault(error, 'interrupted');
      }
    })();
    return this.#metadata;
  }
}

/** A new attempt, from random bytes. */
export const newAttempt = (): Attempt => ({
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier(),
});

/** An answer to a refresh may leave out what stays as it was. */
function toTokens(answer: oauth.TokenEndpointResponse, before?: Keep): Tokens {
  const claims = oauth.getValidatedIdTokenClaims(answer);
  const lifetimeMs = (answer.expires_in ?? 300) * 1_000;
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? before?.refreshToken ?? null,
    idToken: answer.id_token ?? before?.idToken ?? null,
    claims: claims ? readClaims(claims) : (before?.claims ?? { sub: '', name: null, email: null }),
    lifetimeMs,
    remainingMs: lifetimeMs,
    obtainedAt: Math.max(Date.now(), (before?.obtainedAt ?? 0) + 1),
  };
}

const readClaims = ({ sub, ...claims }: oauth.IDToken): Tokens['claims'] => ({
  sub,
  name: typeof claims['name'] === 'string' ? claims['name'] : null,
  email: typeof claims['email'] === 'string' ? claims['email'] : null,
});
