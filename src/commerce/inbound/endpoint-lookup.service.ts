import type { InboundEndpoint } from '#prisma/client.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import { endpointVersion } from './calls.store.ts';
import { type EndpointSecrets, openSecrets, type SealedSecretsRow, sealedSecretsQuery } from './endpoints.reads.ts';
import { endpointIdPattern } from './endpoints.rules.ts';

/** The parts of an endpoint that a call needs. */
export interface MetEndpoint extends Pick<
  InboundEndpoint,
  'tenantId' | 'endpointId' | 'verifier' | 'triggerHandle' | 'topic' | 'status'
> {
  id: number;
  orgId: string;
  config: object;
  /** True if the former secret is still valid. */
  overlaps: boolean;
  /** Encrypted. */
  sealed: Uint8Array;
  /** See `endpointVersion`. */
  version: string;
}

export interface EndpointLookup {
  /** The endpoint as last read; undefined if it was never found. It may have changed since, which is detected when the call is stored. */
  known(endpointId: string): MetEndpoint | undefined;
  /** Reads the endpoint as it is now; undefined if no endpoint has this id. */
  find(endpointId: string): Promise<MetEndpoint | undefined>;
  /** The secrets of the endpoint that are valid now. */
  readSecrets(endpoint: MetEndpoint): Promise<string[]>;
}

const maxBatch = 500;
const remembered = 2_000;

/**
 * Finds the endpoints of calls. A change applies from the next call on in every process: a call is stored only if its endpoint still has
 * the version that it was verified against, and refused only by an endpoint that was read for it. Calls that arrive together share one
 * statement. Decrypted secrets are cached by their ciphertext.
 */
export function createEndpointLookup(deps: Pick<Deps, 'database' | 'vault' | 'redactor'>): EndpointLookup {
  const known = new Map<string, MetEndpoint>();
  const lookup = createBatcher<string, MetEndpoint | undefined>({
    maxBatch,
    concurrency: 2,
    patienceMs: 5,
    async write(endpointIds) {
      const { rows } = await deps.database.system.query<MetEndpoint>({
        name: 'find-inbound-endpoints',
        text: `SELECT e.tenant_id AS "tenantId", t.org_id AS "orgId", e.id, e.endpoint_id AS "endpointId", e.verifier::text, e.config,
            e.secrets AS sealed, e.previous_secret_expires_at IS NULL OR e.previous_secret_expires_at > now() AS overlaps,
            e.trigger_handle AS "triggerHandle", e.topic, e.status::text, ${endpointVersion('e')} AS version
          FROM unnest($1::text[]) AS asked(endpoint_id)
          JOIN inbound_endpoints e ON e.endpoint_id = asked.endpoint_id
          JOIN tenants t ON t.id = e.tenant_id`,
        values: [[...new Set(endpointIds)]],
      });
      const found = new Map(rows.map((row) => [row.endpointId, row]));
      if (known.size + found.size > remembered) known.clear();
      for (const [id, row] of found) known.set(id, row);
      return endpointIds.map((id) => found.get(id));
    },
  });
  const opened = new Map<string, EndpointSecrets>();

  async function open(endpoint: MetEndpoint): Promise<EndpointSecrets | undefined> {
    const ciphertext = Buffer.from(endpoint.sealed).toString('base64');
    const before = opened.get(ciphertext);
    if (before) return before;
    const [row] = await deps.database.tenantQuery<SealedSecretsRow>(endpoint.tenantId, sealedSecretsQuery(endpoint));
    if (!row) return undefined;
    const secrets = openSecrets(deps, endpoint, row);
    if (opened.size >= remembered) opened.clear();
    opened.set(Buffer.from(row.bytes).toString('base64'), secrets);
    return secrets;
  }

  return {
    known: (endpointId) => known.get(endpointId),
    find: async (endpointId) => (endpointIdPattern.test(endpointId) ? lookup.add(endpointId) : undefined),
    async readSecrets(endpoint) {
      const secrets = await open(endpoint);
      if (!secrets) return [];
      const { current, previous } = secrets;
      return previous !== null && endpoint.overlaps ? [current, previous] : [current];
    },
  };
}
