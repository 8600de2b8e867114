import type { FastifyInstance } from 'fastify';

/** True if pages of an origin (`https://shop.example`) may call us from a browser. */
export type AllowsOrigin = (origin: string) => boolean;

const localhost = /^http:\/\/localhost(:\d+)?$/;

/** `anyLocalhost` also allows whatever a developer serves on their own machine. */
export const originRule =
  (listed: readonly string[], { anyLocalhost }: { anyLocalhost: boolean }): AllowsOrigin =>
  (origin) =>
    listed.includes(origin) || (anyLocalhost && localhost.test(origin));

/** How long a browser may keep the answer to a preflight, in seconds. */
const preflightSeconds = 600;

/**
 * Lets pages of allowed origins read every answer, refusals too. Callers are known by a header and never by a cookie, so no
 * answer allows credentials.
 */
export function addCors(app: FastifyInstance, allowsOrigin: AllowsOrigin): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { headers: asked } = request;
    const { origin } = asked;
    reply.header('vary', 'Origin');
    if (origin === undefined || !allowsOrigin(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS' || asked['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', '*');
      return done();
    }
    void reply
      .headers({
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': asked['access-control-request-headers'] ?? '',
        'access-control-max-age': preflightSeconds,
      })
      .code(204)
      .send();
  });
}
