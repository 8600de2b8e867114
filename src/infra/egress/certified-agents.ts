import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { Agent } from 'undici';
import type { ClientCertificate } from './connector.ts';
import { EgressError } from './errors.ts';

const rememberedAgents = 200;

/** Agents for connections with a client certificate, one for each certificate, so that other requests cannot use its connections. */
export class CertifiedAgents {
  readonly #create: (certificate: ClientCertificate) => Agent;
  readonly #agents = new LRUCache<string, Agent>({
    max: rememberedAgents,
    // Requests in progress may still end.
    dispose: (agent) => void agent.close().catch(() => undefined),
  });

  constructor(create: (certificate: ClientCertificate) => Agent) {
    this.#create = create;
  }

  /** Throws an EgressError if the certificate and its key cannot be used. */
  get(certificate: ClientCertificate): Agent {
    const { cert, key, ca } = certificate;
    const name = createHash('sha256')
      .update(JSON.stringify([cert, key, ca]))
      .digest('base64');
    const known = this.#agents.get(name);
    if (known) return known;
    try {
      createSecureContext({ cert, key, ...(ca !== undefined && { ca }) });
    } catch (cause) {
      throw new EgressError(
        'tls',
        'The client certificate or its key cannot be used: both must be PEM, the key without a passphrase, and they must belong together.',
        { cause },
      );
    }
    const agent = this.#create(certificate);
    this.#agents.set(name, agent);
    return agent;
  }

  /** Waits for the requests in progress, then closes the connections. */
  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    await Promise.all(agents.map(async (agent) => agent.close()));
  }
}
