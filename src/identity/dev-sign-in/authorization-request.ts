import { z } from 'zod';

/** A public client of the development issuer, such as the console. */
export interface DevClient {
  id: string;
  /** Compared with a request's `redirect_uri` character by character (RFC 9700, section 2.1). */
  redirectUris: readonly string[];
}

export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scope: string;
  state?: string | undefined;
  nonce?: string | undefined;
  /** BASE64URL(SHA-256(verifier)), as RFC 7636 has it. */
  codeChallenge: string;
  /** `login` asks the user in any case, `none` in no case (OpenID Connect Core, section 3.1.2.1). */
  prompt?: string | undefined;
}

/** The request names no known client or redirect URI, so the fault is shown to the user: a redirect would leak to a stranger. */
export class UnknownClientError extends Error {}

/** A fault that the client learns through a redirect (RFC 6749, section 4.1.2.1). */
export class AuthorizationError extends Error {
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly code: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'login_required';

  constructor(
    { redirectUri, state }: { redirectUri: string; state?: string | undefined },
    code: AuthorizationError['code'],
    message: string,
  ) {
    super(message);
    this.redirectUri = redirectUri;
    this.state = state;
    this.code = code;
  }

  /** The client's address with the fault in its query. */
  get location(): string {
    return withQuery(this.redirectUri, { error: this.code, error_description: this.message, state: this.state });
  }
}

const parameters = z.object({
  response_type: z.literal('code', 'Send response_type=code; the authorization code is the only flow.'),
  scope: z.string().max(512).default('openid'),
  nonce: z.string().max(512).optional(),
  prompt: z.string().max(512).optional(),
  code_challenge: z
    .string('Send a code_challenge (RFC 7636).')
    .regex(/^[\w-]{43}$/, 'The code_challenge is not a SHA-256 hash in base64url.'),
  code_challenge_method: z.literal('S256', 'Send code_challenge_method=S256.'),
});

/** Reads the parameters of `authorize`. Throws UnknownClientError, or AuthorizationError for any other fault. */
export function readAuthorizationRequest(query: URLSearchParams, clients: readonly DevClient[]): AuthorizationRequest {
  const client = clients.find(({ id }) => id === query.get('client_id'));
  if (!client) throw new UnknownClientError('The client_id is unknown. See /console/config.json for the one to use.');
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!client.redirectUris.includes(redirectUri)) {
    throw new UnknownClientError(
      `The redirect_uri is none of this client's: ${client.redirectUris.join(', ')}. DEV_REDIRECT_URIS adds others.`,
    );
  }
  const state = query.get('state') ?? undefined;
  if (state !== undefined && state.length > 2_048) {
    throw new AuthorizationError({ redirectUri }, 'invalid_request', 'The state has more than 2,048 characters.');
  }
  const repeated = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) {
    throw new AuthorizationError(
      { redirectUri, state },
      'invalid_request',
      `The request has ${repeated} more than once.`,
    );
  }
  const parsed = parameters.safeParse(Object.fromEntries(query));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const code = issue?.path[0] === 'response_type' ? 'unsupported_response_type' : 'invalid_request';
    throw new AuthorizationError({ redirectUri, state }, code, issue?.message ?? 'The request is not valid.');
  }
  const { scope, nonce, prompt, code_challenge: codeChallenge } = parsed.data;
  if (!scope.split(' ').includes('openid')) {
    throw new AuthorizationError({ redirectUri, state }, 'invalid_scope', 'The scope must contain openid.');
  }
  return { clientId: client.id, redirectUri, scope, state, nonce, codeChallenge, prompt };
}

/** The address with further members in its query; members without a value are left out. */
export function withQuery(address: string, members: Record<string, string | undefined>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(members)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
