import { z } from 'zod';
import { describeEgressError } from '#src/automation/credentials/egress-failures.service.ts';
import { type TokenOutcome, tokenRequestMs } from '#src/automation/credentials/token-outcome.rules.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import type { OAuthClient, ResolvedClient } from './oauth-client.rules.ts';

type Failure = Extract<TokenOutcome, { kind: 'misconfigured' | 'unavailable' }>;
type Read = { metadata: Metadata } | { failure: Failure };

const maxBytes = 256 * 1024;
/** Providers rarely move, and each refresh of a token would ask again. */
const keptMs = 600_000;
const maxKept = 500;

const endpoint = z.url({ protocol: /^https?$/ }).max(2_048);
const metadataSchema = z.object({
  issuer: z.string().min(1).max(2_048),
  token_endpoint: endpoint,
  authorization_endpoint: endpoint.optional(),
});
type Metadata = z.output<typeof metadataSchema>;

const wellKnown = '/.well-known/openid-configuration';
const wellKnownPath = /\/\.well-known\/(?:openid-configuration|oauth-authorization-server)(?=\/|$)/;

/**
 * Fills in the addresses that a client's config leaves to discovery, and the provider's issuer. The metadata must name the issuer of its own
 * address, or the configured one; otherwise a server could pass as another provider.
 */
export async function resolveClient(
  { egress }: Pick<Deps, 'egress'>,
  client: OAuthClient,
): Promise<{ client: ResolvedClient } | { failure: Failure }> {
  const { discoveryUrl, grantType } = client;
  if (discoveryUrl === null) return { client: { ...client, tokenUrl: client.tokenUrl ?? '' } };
  const read = await readKept(egress, metadataUrl(discoveryUrl));
  if ('failure' in read) return read;
  const { issuer, token_endpoint: tokenUrl, authorization_endpoint: authorizeUrl } = read.metadata;
  if (withoutSlash(issuer) !== withoutSlash(client.issuer ?? issuerAt(discoveryUrl)))
    return misconfigured(
      'the provider at the discovery URL names another issuer; correct the URL, or enter the issuer',
    );
  const needsUser = grantType === 'authorization_code';
  if (needsUser && client.authorizeUrl === null && authorizeUrl === undefined)
    return misconfigured('the provider names no address at which users authorise access');
  return {
    client: {
      ...client,
      issuer,
      tokenUrl: client.tokenUrl ?? tokenUrl,
      authorizeUrl: needsUser ? (client.authorizeUrl ?? authorizeUrl ?? null) : null,
    },
  };
}

const misconfigured = (reason: string): { failure: Failure } => ({ failure: { kind: 'misconfigured', reason } });

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/** The address of the metadata: as it is entered, or the standard one below the issuer. */
const metadataUrl = (url: string): string =>
  wellKnownPath.test(new URL(url).pathname) ? url : withoutSlash(url) + wellKnown;

function issuerAt(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(wellKnownPath, '');
}

const kept = new WeakMap<Egress, Map<string, { read: Promise<Read>; until: number }>>();

/** Reads the metadata at an address, or returns what was read within the last ten minutes. Failures are not kept. */
async function readKept(egress: Egress, url: string): Promise<Read> {
  const known = kept.get(egress) ?? new Map<string, { read: Promise<Read>; until: number }>();
  kept.set(egress, known);
  const found = known.get(url);
  if (found && performance.now() < found.until) return found.read;
  const read = readMetadata(egress, url);
  known.delete(url);
  if (known.size >= maxKept) known.delete(known.keys().next().value as string);
  known.set(url, { read, until: performance.now() + keptMs });
  const drop = () => void (known.get(url)?.read === read && known.delete(url));
  read.then((result) => 'failure' in result && drop(), drop);
  return read;
}

async function readMetadata(egress: Egress, url: string): Promise<Read> {
  const request = { method: 'GET', url, headers: { accept: 'application/json' }, body: null };
  try {
    const { status, body } = await egress.request({ ...request, timeoutMs: tokenRequestMs, maxBytes, secure: true });
    if (status >= 500 || status === 408 || status === 429)
      return { failure: { kind: 'unavailable', reason: `the discovery URL answered ${status}` } };
    if (status !== 200) return misconfigured(`the discovery URL answered ${status}`);
    const parsed = metadataSchema.safeParse(readJson(body.toString('utf8')));
    return parsed.success
      ? { metadata: parsed.data }
      : misconfigured('the discovery URL does not answer the metadata of a provider');
  } catch (error) {
    if (error instanceof EgressError) return { failure: describeEgressError(error) };
    throw error;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
