import type { FastifyReply } from 'fastify';
import { errorCodes, refusedTokenChallenge } from '#src/infra/errors.ts';
import { sendCompressed } from '#src/infra/http/compression.ts';
import type { Refusal } from './errors.ts';
import type { Reply } from './replies.ts';
import type { RestApi } from './rest-api.ts';
import type { Bytes } from './route.ts';

/** A response. */
export interface Answer extends Bytes {
  status: number;
}

/** A JSON response; without a body if that is undefined. */
export const jsonAnswer = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  write: NonNullable<Reply['write']> = (value) => ({ content: JSON.stringify(value) }),
): Answer =>
  body === undefined
    ? { status, headers }
    : { status, headers, type: 'application/json; charset=utf-8', ...write(body) };

/** The response to a refusal, in the format of its API. */
export function refusalAnswer({ credentials, errors }: RestApi, refusal: Refusal): Answer {
  const { status, retryAfter, refusedToken, body } = refusal;
  const isStranger = status === errorCodes.UNAUTHENTICATED.status && credentials?.challenge !== undefined;
  return jsonAnswer(status, body ?? errors.body(refusal), {
    ...errors.headers,
    ...(isStranger && { 'www-authenticate': refusedToken ? refusedTokenChallenge : credentials.challenge }),
    ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
  });
}

/** Sends the response; compressed if `mayCompress`, for content that is JSON and contains no new secret. */
export function sendAnswer(
  reply: FastifyReply,
  { status, headers = {}, type, content, release }: Answer,
  { mayCompress = false }: { mayCompress?: boolean } = {},
): FastifyReply {
  if (type !== undefined) reply.type(type);
  if (release) reply.raw.once('close', release);
  reply.code(status).headers(headers);
  const isJson = type?.startsWith('application/json') === true;
  if (mayCompress && isJson && (typeof content === 'string' || Buffer.isBuffer(content)))
    return sendCompressed(reply, content);
  return reply.send(content);
}

// The router needs a literal colon doubled.
export const fastifyPath = (path: string): string => path.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1');
