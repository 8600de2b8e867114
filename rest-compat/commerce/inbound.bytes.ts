import { z } from 'zod';
import { rawBody, readAnything } from '#rest/bodies.ts';
import { byteRoute, type Bytes, type RestRequest } from '#rest/route.ts';
import { receiveCall } from '#src/commerce/inbound/calls.service.ts';
import type { Context } from '#src/graphql/context.ts';
import { logAccepted } from '#src/graphql/log-accepted.ts';
import { AppError } from '#src/infra/errors.ts';
import { utf8Text } from '#src/infra/text/utf8.ts';

/**
 * Malformed JSON stays text: its sender is verified, and would only send it again. Throws BAD_REQUEST for text that is not UTF-8, because
 * it could only be stored with other letters.
 */
function parse(raw: Buffer, contentType: string): unknown {
  try {
    return readAnything(raw, contentType);
  } catch (error) {
    if (error instanceof AppError) return utf8Text(raw, contentType);
    throw error;
  }
}

type Posted = RestRequest<'endpoint', Record<string, unknown>, () => Promise<Buffer>>;

async function receive({ method, params, query, headers, body }: Posted, context: Context): Promise<Bytes> {
  const { commerce, principal } = context;
  const { eventId, duplicate } = await receiveCall(commerce.inbound, {
    endpointId: params.endpoint,
    method,
    query,
    headers,
    cause: principal,
    readBody: body,
    parse: (raw) => parse(raw, String(headers['content-type'] ?? '')),
  });
  logAccepted(context, { endpointId: params.endpoint, eventId, duplicate });
  const content = JSON.stringify({ event_id: eventId, duplicate });
  // Senders expect 200 for a test call, and nothing is stored for one.
  return { ...(eventId === null && { status: 200 }), type: 'application/json; charset=utf-8', content };
}

/** The URLs to which other systems post events. */
export const inboundCallRoutes = [
  byteRoute({
    method: 'POST',
    path: '/{endpoint}',
    name: 'receiveCall',
    tag: { name: 'Calls', description: 'What other systems post to inbound endpoints.' },
    summary: 'Takes a call of a sender that proves itself as the endpoint expects; a repeated event has no effect.',
    access: { scopes: null },
    query: z.record(z.string(), z.unknown()),
    body: rawBody,
    answers: { status: 202, description: 'The call is stored, or was before.' },
    refuses: ['BAD_REQUEST', 'GONE', 'UNAUTHENTICATED', 'UNAVAILABLE'],
    answer: receive,
  }),
];
