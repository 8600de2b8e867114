import type { FastifyInstance } from 'fastify';

/** What a browser client needs to sign users in. */
export interface ConsoleConfig {
  issuer: string;
  clientId: string;
  scopes: readonly string[];
  audience: string;
}

/** `GET /console/config.json`; public, because it is read before anybody has signed in. */
export function serveConsoleConfig(app: FastifyInstance, config: ConsoleConfig): void {
  const { issuer, clientId: client_id, scopes, audience } = config;
  app.get('/console/config.json', (_request, reply) =>
    reply.header('cache-control', 'no-cache').send({ issuer, client_id, scopes, audience }),
  );
}
