import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Answers below this many bytes are sent as they are, because their headers alone would be as long. */
const thresholdBytes = 1_024;

/**
 * Lets routes send answers compressed, in the encoding that the request prefers of br, zstd and gzip. Nothing is compressed unless a route
 * asks for it with `sendCompressed`.
 */
export async function addCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, { global: false, encodings: ['br', 'zstd', 'gzip'], threshold: thresholdBytes });
}

/**
 * Sends the answer compressed, if it is long enough and the request accepts it. Not for an answer with a new secret: who can put text of
 * their own into the same answer and see its length could guess the secret letter by letter (the BREACH attack).
 */
export function sendCompressed(reply: FastifyReply, body: string | Buffer): FastifyReply {
  reply.compress(body);
  return reply;
}
