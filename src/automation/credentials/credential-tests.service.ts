import { z } from 'zod';
import { credentialParts } from '#src/automation/node-api/credential-parts.ts';
import { slugNamespace } from '#src/automation/node-api/manifest.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { sendRenewing } from '#src/automation/node-api/send-renewing.ts';
import { loadNodeCode } from '#src/automation/packages/node-code.reads.ts';
import type { Actor } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { AppError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { createKnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { createRedactor, redacted } from '#src/infra/logs/redact.ts';
import { connectionFault } from './connection.rules.ts';
import {
  type CredentialTestOutcome,
  failed,
  notTested,
  passed,
  shorten,
  toStoredOk,
} from './credential-test-outcome.rules.ts';
import { findCredentialType, type KnownCredentialType } from './credential-types.service.ts';
import { testConfigInput } from './credentials.inputs.ts';
import { readConfig } from './credentials.rules.ts';
import { requireCredentialType, type ShownCredential } from './credentials.service.ts';
import { readCredential, listSecrets, type StoredCredential } from './credentials.store.ts';
import { readGrantType } from './oauth/oauth-client.rules.ts';
import { publicMembers } from './oauth/token-members.rules.ts';
import { type CredentialDeps, currentGrant, replaceRejected } from './oauth/token-refresh.service.ts';
import { readTokenSource, requestOwnToken } from './oauth/token-sources.service.ts';
import { testByLogin } from './test-by-login.service.ts';
import type { TokenOutcome } from './token-outcome.rules.ts';

/** The subject of a test: a config and, for a connected credential of a 3-legged type, its access token. */
interface Subject {
  config: Record<string, unknown>;
  publicConfig: object;
  accessToken?: string;
  /** The access token in place of one that was rejected. */
  replacement?: (rejected: string) => Promise<string | undefined>;
}

const timeoutMs = 10_000;

type TestDeps = NodeDeps & CredentialDeps;

/** Tests a config that is not stored. A config that the type's fields reject is a failed test. */
export const testCredentialConfig = async (
  deps: TestDeps,
  actor: Actor,
  given: unknown,
): Promise<CredentialTestOutcome> => shorten(await testConfig(deps, actor, given));

async function testConfig(deps: TestDeps, actor: Actor, given: unknown): Promise<CredentialTestOutcome> {
  const input = parseInput(testConfigInput, given);
  const type = await requireCredentialType(deps, input.credentialTypeSlug);
  try {
    const { values, publicConfig } = readConfig(type.manifest, input.config);
    const subject = { config: values, publicConfig };
    if (!getsOwnTokens(type, values)) return await runTest(deps, actor, type, subject);
    const outcome = await requestOwnToken(deps, readTokenSource(type.manifest, values));
    if (outcome.kind !== 'granted') return failed(`There is no access token: ${describeOutcome(outcome)}.`);
    deps.redactor.add(outcome.tokens.access_token);
    return await runTest(deps, actor, type, { ...subject, accessToken: outcome.tokens.access_token });
  } catch (error) {
    if (error instanceof ValidationError) return failed((error.fields['config'] ?? []).join(' '));
    if (error instanceof AppError && error.code === 'UNPROCESSABLE') return failed(error.message);
    throw error;
  }
}

/** Tests a stored credential and saves the outcome with it; the config stays unchanged. */
export async function testCredential(
  deps: TestDeps,
  actor: Actor,
  id: bigint,
): Promise<CredentialTestOutcome & { credential: ShownCredential }> {
  const { tenantId } = actor;
  const stored = await readCredential(deps, tenantId, id);
  if (!stored) throw new NotFoundError();
  const outcome = shorten(await testStored(deps, actor, stored));
  const credential = await deps.database.withTenant(tenantId, async (tx) => {
    // Raw SQL, because `updated_at` should only reflect changes of the credential.
    await tx.$executeRaw`
      UPDATE credentials SET last_test_at = now(), last_test_ok = ${toStoredOk(outcome)}, last_test_message = ${outcome.message}
      WHERE tenant_id = ${tenantId} AND id = ${id}`;
    return tx.credential.findUnique({
      where: { tenantId_id: { tenantId, id } },
      omit: { config: true, grant: true },
    });
  });
  // Deleted during the test.
  if (!credential) throw new NotFoundError();
  return { ...outcome, credential };
}

async function testStored(deps: TestDeps, actor: Actor, stored: StoredCredential): Promise<CredentialTestOutcome> {
  const fault = connectionFault(stored);
  if (fault) return failed(fault.message);
  const type = await findCredentialType(deps, stored.typeSlug);
  if (!type) return failed(`The credential type ${stored.typeSlug} is not registered any more.`);
  const { tenantId, id, config, publicConfig } = stored;
  if (type.manifest.auth_kind === 'secret') return runTest(deps, actor, type, { config, publicConfig });
  try {
    const { access_token: token, members } = await currentGrant(deps, tenantId, id);
    return await runTest(deps, actor, type, {
      config: { ...members, ...config },
      publicConfig: { ...publicMembers(members), ...publicConfig },
      accessToken: token,
      replacement: async (rejected) => replaceRejected(deps, { tenantId, id }, rejected),
    });
  } catch (error) {
    // Also a config that the type's current version does not find complete.
    if (error instanceof AppError && error.code !== 'NOT_FOUND') return failed(error.message);
    throw error;
  }
}

async function runTest(
  deps: TestDeps,
  actor: Actor,
  type: KnownCredentialType,
  subject: Subject,
): Promise<CredentialTestOutcome> {
  const isCore = slugNamespace(type.manifest.slug) === 'core';
  const { outcome, message } = await (isCore ? testCore(deps, type, subject) : callPackage(deps, actor, type, subject));
  return { outcome, message: withoutSecrets(message, secretTexts(subject), !isCore) };
}

/** For types of package core: logs in, or sends a GET with the credential's header, which passes when its status is below 400. */
async function testCore(
  { egress, builtins }: TestDeps,
  { manifest }: KnownCredentialType,
  { config, accessToken, replacement }: Subject,
): Promise<CredentialTestOutcome> {
  const login = builtins.credentialTest(manifest.slug);
  const url = config['test_url'];
  if (!login && typeof url !== 'string') {
    const isAsked = accessToken !== undefined && getsOwnTokens({ manifest }, config);
    return isAsked
      ? passed('The token URL gave an access token. The config names no test URL, so nothing else was called.')
      : notTested('It names no test URL');
  }
  const values: Record<string, unknown> = {
    ...config,
    ...(accessToken !== undefined && { access_token: accessToken }),
  };
  const field = async (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  if (manifest.auth_kind !== 'secret' && accessToken === undefined) {
    return failed('Save the credential and connect it; then it can be tested.');
  }
  if (login) return testByLogin({ egress }, login, { slug: manifest.slug, values, timeoutMs });
  try {
    const { headers: carried, certificate } = await credentialParts({ type: manifest.slug, field });
    const renewIn = async (headers: Readonly<Record<string, string>>) => {
      const token = accessToken === undefined ? undefined : await replacement?.(accessToken);
      if (token === undefined) return undefined;
      const renewed = Object.entries(headers).map(([name, value]) => [name, value.replace(accessToken ?? '', token)]);
      return Object.fromEntries(renewed) as Record<string, string>;
    };
    const { status } = await sendRenewing({ renewIn }, carried, async (headers) =>
      egress.request({ url: String(url), headers, certificate, timeoutMs, secure: true }),
    );
    const said = `The test URL answered ${status}.`;
    return status < 400 ? passed(said) : failed(said);
  } catch (error) {
    if (error instanceof EgressError || error instanceof NodeError) return failed(error.message);
    throw error;
  }
}

const packageAnswer = z.object({ ok: z.boolean(), message: z.string().nullish() });

/** Runs a package's own test in the sandbox. */
async function callPackage(
  deps: TestDeps,
  { tenantId }: Actor,
  { manifest, codeHash }: KnownCredentialType,
  { config, publicConfig, accessToken }: Subject,
): Promise<CredentialTestOutcome> {
  if (manifest.entry === undefined) return notTested('Its type has no test');
  if (codeHash === null)
    return failed("The type's test has no built code. Publish a corrected version of its package.");
  const secrets = secretTexts({ config, publicConfig, ...(accessToken !== undefined && { accessToken }) });
  const known = createKnownSecrets();
  for (const secret of secrets) known.learn(secret);
  const outcome = await deps.nodeRuntime.execute({
    owner: tenantId,
    codeHash,
    source: () => loadNodeCode(deps, codeHash),
    entry: 'test',
    input: { config: { ...config, ...(accessToken !== undefined && { access_token: accessToken }) } },
    secrets,
    holdsSecret: known.areIn,
    timeoutMs,
  });
  if (!outcome.ok) return failed(outcome.error.message);
  const answer = packageAnswer.safeParse(outcome.value);
  if (!answer.success) return failed("The type's test must answer {ok, message?}.");
  const { ok, message } = answer.data;
  return ok ? passed(message ?? 'The test passed.') : failed(message ?? 'The test failed.');
}

/** True if the credential gets its tokens without an authorisation by a user. */
const getsOwnTokens = ({ manifest }: Pick<KnownCredentialType, 'manifest'>, config: object): boolean =>
  manifest.auth_kind !== 'secret' && readGrantType(manifest, config) !== 'authorization_code';

const describeOutcome = (outcome: Exclude<TokenOutcome, { kind: 'granted' }>): string =>
  outcome.kind === 'refused' ? `the provider answered ${outcome.error}` : outcome.reason;

const secretTexts = ({ config, publicConfig, accessToken }: Subject): string[] => [
  ...listSecrets({ config, publicConfig, grant: null }),
  ...(accessToken === undefined ? [] : [accessToken]),
];

/** Also removes secrets too short for the redactor, but only from foreign text: in our own they could hit ordinary words. */
function withoutSecrets(message: string, secrets: readonly string[], foreign: boolean): string {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  const clean = redactor.text(message.replaceAll('\0', '').toWellFormed());
  const short = foreign ? secrets.filter((secret) => secret.length > 0 && secret.length < 4) : [];
  return short.reduce((text, secret) => text.replaceAll(secret, redacted), clean);
}
