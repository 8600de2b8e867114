import { parseCredentialId, type CredentialRefField } from '#src/automation/node-api/credential-fields.rules.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { UnreadableError } from '#src/infra/vault/cipher.ts';
import { connectionFault } from './connection.rules.ts';
import { readCredential, type StoredCredential } from './credentials.store.ts';
import { AccessTokenError } from './oauth/access-token.rules.ts';
import { isSecretMember } from './oauth/token-members.rules.ts';
import { type CredentialDeps, currentGrant, replaceRejected } from './oauth/token-refresh.service.ts';
import type { StepTurns } from './rates/step-turns.service.ts';

/** The credentials that one node may use: those named in its own config, of the types that its fields accept. */
export interface CredentialAccess {
  tenantId: string;
  /** The fields of the node's manifest that reference credentials. */
  fields: readonly CredentialRefField[];
  /** The node's config, with its expressions evaluated. */
  config: unknown;
  /** Called with every secret text that is handed out. */
  onSecret?: (text: string) => void;
  /** Absent outside of runs, where requests do not wait for rate limits. */
  turns?: StepTurns;
}

type RequestHeaders = Readonly<Record<string, string>>;

export interface CredentialBroker {
  /** Takes the key of the config field, or the id in it. Rejects with a NodeError that says what to do. */
  open(reference: string): Promise<OpenCredential>;
  /** The value of one field; null when it is empty. Rejects like `open`. */
  field(reference: string, name: string | undefined): Promise<unknown>;
  /**
   * The headers of a request that was answered with 401, with another access token in place of the one that this broker handed out.
   * Undefined when they hold none, or when there is no other.
   */
  renewIn(headers: RequestHeaders): Promise<Record<string, string> | undefined>;
  /** To be called when the request with those headers was answered with 401, too. */
  renewedInVain(headers: RequestHeaders): void;
  /** Resolves when the rate limits of all opened credentials allow a request. */
  takeTurn?(signal: AbortSignal): Promise<void>;
  /** Call this with each answer, because its headers may state a limit. */
  noteAnswer?(answer: Parameters<StepTurns['noteAnswer']>[1]): Promise<boolean>;
}

/** Hands out single fields of credentials for one execution of one node; each credential is decrypted once. */
export class StoredCredentialBroker implements CredentialBroker {
  readonly #deps: CredentialDeps;
  readonly #access: CredentialAccess;
  /** By the credential's id. */
  readonly #reads = new Map<string, Promise<StoredCredential>>();
  /** The access tokens that were handed out, each with its credential. */
  readonly #issuedTokens = new Map<string, StoredCredential>();
  readonly #opened = new Map<bigint, StoredCredential>();

  constructor(deps: CredentialDeps, access: CredentialAccess) {
    this.#deps = deps;
    this.#access = access;
  }

  async open(reference: string): Promise<OpenCredential> {
    const { turns } = this.#access;
    const stored = await this.#find(reference);
    return {
      type: stored.typeSlug,
      sends: stored.type?.sends ?? undefined,
      field: async (name) => {
        const value = await this.#readField(stored, name);
        return value === undefined || value === null ? undefined : toText(value);
      },
      onDerived: (secret) => this.#redact(secret),
      renewIn: (headers) => this.renewIn(headers),
      renewedInVain: (headers) => this.renewedInVain(headers),
      ...(turns && {
        takeTurn: (signal) => turns.take(stored, signal),
        noteAnswer: (answer) => turns.noteAnswer([stored], answer),
      }),
    };
  }

  async field(reference: string, name: string | undefined): Promise<unknown> {
    if (name === undefined) {
      throw new NodeError(
        'CREDENTIAL_FIELD',
        'Ask for one field of the credential: credentials.get(configKey, field).',
      );
    }
    return (await this.#readField(await this.#find(reference), name)) ?? null;
  }

  async renewIn(headers: RequestHeaders): Promise<Record<string, string> | undefined> {
    const rejected = this.#tokenIn(headers);
    const stored = rejected === undefined ? undefined : this.#issuedTokens.get(rejected);
    if (rejected === undefined || stored === undefined) return undefined;
    const key = { tenantId: stored.tenantId, id: stored.id };
    const token = await orNodeError(stored, async () => replaceRejected(this.#deps, key, rejected));
    if (token === undefined) return undefined;
    this.#issueToken(stored, token);
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replaceAll(rejected, token)]),
    );
  }

  renewedInVain(headers: RequestHeaders): void {
    const token = this.#tokenIn(headers);
    if (token !== undefined) this.#deps.futileRenewals.add(token);
  }

  async takeTurn(signal: AbortSignal): Promise<void> {
    for (const stored of this.#opened.values()) await this.#access.turns?.take(stored, signal);
  }

  async noteAnswer(answer: Parameters<StepTurns['noteAnswer']>[1]): Promise<boolean> {
    return (await this.#access.turns?.noteAnswer([...this.#opened.values()], answer)) ?? false;
  }

  async #find(reference: string): Promise<StoredCredential> {
    const { id, types } = resolve(this.#access, reference);
    const stored = await this.#readOnce(id);
    if (!types.includes(stored.typeSlug)) {
      throw new NodeError(
        'CREDENTIAL_UNUSABLE',
        `The credential "${stored.name}" is of type ${stored.typeSlug}; this node takes ${types.join(', ')}.`,
      );
    }
    const fault = connectionFault(stored);
    if (fault) throw fault;
    this.#opened.set(stored.id, stored);
    return stored;
  }

  #readOnce(id: string): Promise<StoredCredential> {
    const known = this.#reads.get(id);
    if (known) return known;
    const reading = read(this.#deps, this.#access.tenantId, id).catch((error: unknown) => {
      // A node that asks again after an outage gets an answer of its own.
      this.#reads.delete(id);
      throw error;
    });
    this.#reads.set(id, reading);
    return reading;
  }

  async #readField(stored: StoredCredential, name: string): Promise<unknown> {
    const isOwn = Object.hasOwn(stored.config, name) && !connectionFields.has(name);
    if (!isOwn && hasTokens(stored)) return this.#readConnectionField(stored, name);
    const value = Object.hasOwn(stored.config, name) ? stored.config[name] : undefined;
    if (!Object.hasOwn(stored.publicConfig, name) && typeof value === 'string') this.#access.onSecret?.(value);
    return value;
  }

  /** The access token, or another member of the provider's token answer, such as `instance_url`. */
  async #readConnectionField(stored: StoredCredential, name: string): Promise<unknown> {
    // These fields are used only to get tokens, so nodes never receive them.
    if (name === 'client_secret' || name === 'password') return undefined;
    const { access_token: token, members } = await orNodeError(stored, async () =>
      currentGrant(this.#deps, this.#access.tenantId, stored.id),
    );
    if (name === 'access_token') return this.#issueToken(stored, token);
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (isSecretMember(name, value)) this.#access.onSecret?.(String(value));
    return value;
  }

  #issueToken(stored: StoredCredential, token: string): string {
    this.#redact(token);
    this.#issuedTokens.set(token, stored);
    return token;
  }

  #redact(secret: string): void {
    this.#deps.redactor.add(secret);
    this.#access.onSecret?.(secret);
  }

  #tokenIn(headers: RequestHeaders): string | undefined {
    return this.#issuedTokens.keys().find((token) => Object.values(headers).some((value) => value.includes(token)));
  }
}

/** Without an authorisation by a user, a credential has no stored grant before its first use. */
const hasTokens = ({ grant, type }: StoredCredential): boolean =>
  grant !== null || (type?.authKind ?? 'secret') !== 'secret';

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Fields whose meaning differs in a credential that gets tokens. */
const connectionFields = new Set(['access_token', 'client_secret', 'password']);

/** The credential that a reference names, and the types that the fields naming it accept. */
function resolve({ fields, config }: CredentialAccess, reference: string): { id: string; types: string[] } {
  const values = typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {};
  const idIn = ({ key }: CredentialRefField) =>
    Object.hasOwn(values, key) ? parseCredentialId(values[key]) : undefined;
  const byKey = fields.find(({ key }) => key === reference);
  const id = byKey ? idIn(byKey) : parseCredentialId(reference);
  const naming = byKey ? [byKey] : fields.filter((field) => idIn(field) === id);
  if (id === undefined || naming.length === 0) {
    throw new NodeError(
      'CREDENTIAL_NOT_NAMED',
      byKey
        ? `The node's config names no credential in "${byKey.key}".`
        : 'The node may use only credentials that its config names in a field of type credentials-ref.',
    );
  }
  return { id, types: naming.flatMap(({ types }) => types) };
}

async function read(deps: Deps, tenantId: string, id: string): Promise<StoredCredential> {
  try {
    const stored = await readCredential(deps, tenantId, BigInt(id));
    if (stored) return stored;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    deps.log.error({ err: error, tenantId, credentialId: id }, 'A credential cannot be opened.');
    throw new NodeError('CREDENTIAL_UNREADABLE', `Credential ${id} cannot be opened. Make it again.`, { cause: error });
  }
  throw notFound(id);
}

const notFound = (id: string | bigint): NodeError =>
  new NodeError('CREDENTIAL_NOT_FOUND', `There is no credential ${id}. Choose another one in the node's config.`);

/** Runs a token request, and converts its failures into the NodeErrors that the node sees. */
async function orNodeError<T>({ id, name }: StoredCredential, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Deleted while the node was using it.
    if (error instanceof NotFoundError) throw notFound(id);
    if (!(error instanceof AccessTokenError)) throw error;
    const fault = error.status && connectionFault({ name, status: error.status });
    if (fault) throw fault;
    const code = error.isRetryable ? 'CREDENTIAL_UNAVAILABLE' : 'CREDENTIAL_UNUSABLE';
    throw new NodeError(code, error.message, { retryable: error.isRetryable, cause: error });
  }
}
