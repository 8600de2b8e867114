import type { FastifyInstance } from 'fastify';
import { imagesPath, imageTtlSeconds } from './automation/packages/image-urls.ts';
import { openImage } from './automation/packages/package-images.service.ts';
import type { Deps } from './infra/deps.ts';
import { AppError, errorCodes } from './infra/errors.ts';

/** Streams images of node packages. The link's signature is the permission, as an <img> can send no other. */
export function serveImages(app: FastifyInstance, deps: Deps): void {
  const { status, message } = errorCodes.METHOD_NOT_ALLOWED;
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: `${imagesPath}/:id`,
    onRequest: async (_request, reply) => reply.code(status).header('allow', 'GET, HEAD').send({ message }),
    handler: async () => undefined,
  });
  app.get<{ Params: { id: string }; Querystring: { expires?: unknown; signature?: unknown } }>(
    `${imagesPath}/:id`,
    async (request, reply) => {
      try {
        const { contentType, size, content } = await openImage(deps, request.params.id, request.query);
        return await reply
          .type(contentType)
          .header('content-length', size)
          .header('cache-control', `private, max-age=${imageTtlSeconds}`)
          .header('x-content-type-options', 'nosniff')
          // An svg may hold scripts; none of them runs, and nothing is loaded.
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
          .send(content);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return reply.code(errorCodes[error.code].status).send({ message: error.message });
      }
    },
  );
}
