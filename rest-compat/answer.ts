import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorCodes, refusedTokenChallenge } from '#src/infra/errors.ts';
import { plainRefusal, type Refusal } from './errors.ts';
import { type Face, faceAt } from './face.ts';
import { takeBack } from './lent-buffers.ts';
import type { Bytes } from './route.ts';

/** A response. */
export interface Answer extends Bytes {
  status: number;
}

/** An answer in JSON; without a body where that is undefined. */
export const jsonAnswer = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  write: (body: unknown) => string | Buffer = JSON.stringify,
): Answer =>
  body === undefined
    ? { status, headers }
    : { status, headers, type: 'application/json; charset=utf-8', content: write(body) };

/** The response to a refusal, in the format of its face. */
export function refusalAnswer({ credentials, errors }: Face, refusal: Refusal): Answer {
  const { status, retryAfter, refusedToken, body } = refusal;
  const isStranger = status === errorCodes.UNAUTHENTICATED.status && credentials?.challenge !== undefined;
  return jsonAnswer(status, body ?? errors.body(refusal), {
    ...errors.headers,
    ...(isStranger && { 'www-authenticate': refusedToken ? refusedTokenChallenge : credentials.challenge }),
    ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
  });
}

export function sendAnswer(reply: FastifyReply, { status, headers = {}, type, content }: Answer): FastifyReply {
  if (type !== undefined) reply.type(type);
  if (Buffer.isBuffer(content)) reply.raw.once('close', () => takeBack(content));
  return reply.code(status).headers(headers).send(content);
}

/** The 404 body for a URL without a route, in the format of the face to which the URL belongs. */
export function unknownPathBody(faces: readonly Face[], url: string): object {
  const refusal = plainRefusal('NOT_FOUND');
  return faceAt(faces, url)?.errors.body(refusal) ?? { message: refusal.message };
}

// A literal colon is doubled for the router.
export const urlOf = (path: string): string => path.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1');

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Responds with 405 and the allowed methods to every other method of the path. */
export function refuseOtherMethods(scope: FastifyInstance, face: Face, path: string, allowed: string[]): void {
  const { headers, ...refused } = refusalAnswer(face, plainRefusal('METHOD_NOT_ALLOWED'));
  const answer = { ...refused, headers: { ...headers, allow: allowed.join(', ') } };
  scope.route({
    method: allMethods.filter((method) => !allowed.includes(method)),
    url: urlOf(path),
    exposeHeadRoute: false,
    onRequest: async (_request, reply) => sendAnswer(reply, answer),
    handler: async () => undefined,
  });
}
