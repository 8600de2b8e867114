import type { FastifyInstance } from 'fastify';

/** What a browser client needs to sign users in. */
export interface ConsoleConfig {
  issuer: string;
  clientId: string;
  scopes: readonly string[];
  audience: string;
}

/** What serves the client: the version of the product, and the build of the console, unless it is off. */
export interface ServedConsole {
  version: string;
  build: () => string | null;
}

/** `GET /console/config.json`; public, because it is read before anybody has signed in. */
export function serveConsoleConfig(app: FastifyInstance, config: ConsoleConfig, served: ServedConsole): void {
  const { issuer, clientId: client_id, scopes, audience } = config;
  const { version } = served;
  app.get('/console/config.json', (_request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .send({ issuer, client_id, scopes, audience, version, build: served.build() }),
  );
}
