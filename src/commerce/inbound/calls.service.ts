import { randomUUID } from 'node:crypto';
import type { InboundRefusalReason } from '#prisma/enums.ts';
import { receiveBody } from '#src/automation/files/received-files.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { isWithinDepth, storableJson } from '#src/infra/json.ts';
import { isPing, type SentCall, verifierHeaders, verifyCall } from '#src/infra/signing/verify-call.ts';
import { type Cause, writeCause } from '#src/infra/tracing/cause.ts';
import type { Call } from './call-storing.service.ts';
import { parseEventData, writeEventJson, passedOn } from './calls.rules.ts';
import type { MetEndpoint } from './endpoint-lookup.service.ts';
import { topicRefusal } from './endpoints.rules.ts';
import type { Inbound } from './inbound.service.ts';

/** A request to an endpoint; nothing of it has been verified yet. */
export interface InboundRequest {
  endpointId: string;
  method: string;
  query: unknown;
  headers: SentCall['headers'];
  /** The cause of the run or event that the call starts. */
  cause: Cause;
  /** Reads the raw bytes. Throws PAYLOAD_TOO_LARGE. */
  readBody(): Promise<Buffer>;
  /** The body, parsed by its content type; text if it does not parse. Throws BAD_REQUEST for text that is not UTF-8. */
  parse(raw: Buffer): unknown;
}

/** The length that a Postgres index can hold. */
const maxEventId = 255;
/** Deeper nesting would exhaust the call stack of the code that handles it. */
const maxDepth = 200;

export interface Received {
  /** Null for an unsigned test call, which has no effect. */
  eventId: string | null;
  duplicate: boolean;
}

/** Reads of the endpoint for one call; the call is refused if the endpoint changed again each time. */
const maxReads = 3;

/**
 * Receives a call. Refuses it with 404, 410 or 401, in this order; the signature covers the raw bytes. Otherwise stores it, once for each
 * event id, with the run or the event that it starts. Resolves after the commit.
 *
 * The call is first verified against the cached endpoint, which saves a statement. If that refuses the call, or the endpoint has changed
 * since, the endpoint is read.
 */
export async function receiveCall(inbound: Inbound, given: InboundRequest): Promise<Received> {
  let body: Promise<Buffer> | undefined;
  const request = { ...given, readBody: () => (body ??= given.readBody()) };
  const known = inbound.endpoints.known(request.endpointId);
  const taken = known ? await takeCall(inbound, known, request) : 'changed';
  if (taken !== 'changed' && 'eventId' in taken) return taken;
  for (let reads = 0; reads < maxReads; reads += 1) {
    const endpoint = await inbound.endpoints.find(request.endpointId);
    if (!endpoint) throw new NotFoundError();
    const outcome = await takeCall(inbound, endpoint, request);
    if (outcome === 'changed') continue;
    if ('eventId' in outcome) return outcome;
    return refuseCall(inbound, endpoint, request, outcome);
  }
  throw new AppError('UNAVAILABLE', 'The endpoint is being changed. Send the call again later.');
}

interface Refusal {
  reason: InboundRefusalReason;
  error: AppError;
  more?: Record<string, string | number>;
}

async function takeCall(
  inbound: Inbound,
  endpoint: MetEndpoint,
  request: InboundRequest,
): Promise<Received | Refusal | 'changed'> {
  const { headers } = request;
  if (endpoint.status === 'disabled')
    return { reason: 'disabled', error: new AppError('GONE', 'The endpoint is disabled.') };
  let body: Buffer;
  try {
    body = await request.readBody();
  } catch (error) {
    // An aborted body is not counted: the sender is gone, and the endpoint's settings are not the cause.
    if (error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE') return { reason: 'too_large', error };
    throw error;
  }
  if (isPing(endpoint, { headers, body })) return { eventId: null, duplicate: false };
  const secrets = await inbound.endpoints.readSecrets(endpoint);
  const verdict = verifyCall({ ...endpoint, secrets }, { headers, body }, Date.now());
  if (verdict.fault)
    return { reason: verdict.fault, error: new AppError('UNAUTHENTICATED'), more: { bytes: body.length } };

  // An endpoint may be older than this rule, or than the topic. Checked only once the sender is verified, because it concerns nobody else.
  const reserved = topicRefusal(endpoint.topic, inbound.ownTopics);
  if (reserved !== undefined) return { reason: 'not_storable', error: new ConflictError(reserved) };

  const eventId = verdict.eventId ?? randomUUID();
  if (eventId.length > maxEventId)
    return { reason: 'event_id_too_long', error: fault('event_id', `Use at most ${maxEventId} characters.`) };
  const call = await toCall(inbound, endpoint, eventId, request, body);
  if (call instanceof AppError) return { reason: 'not_storable', error: call };
  const stored = await inbound.calls.add(call);
  if (stored === 'changed') return stored;
  if (stored === 'unbound') {
    const error = new AppError('UNAVAILABLE', 'Nothing takes this call at present. Send it again later.');
    return { reason: 'no_trigger', error };
  }
  return { eventId, duplicate: stored === 'duplicate' };
}

const fault = (field: string, message: string): ValidationError => new ValidationError({ [field]: [message] });

/** The effect of the call; an error if its content cannot be stored unchanged. */
async function toCall(
  { files }: Inbound,
  endpoint: MetEndpoint,
  eventId: string,
  request: InboundRequest,
  raw: Buffer,
): Promise<Call | AppError> {
  const { tenantId, orgId, id, endpointId, topic, version, triggerHandle: handle } = endpoint;
  const key = { tenantId, endpoint: id, eventId, version };
  let received: Awaited<ReturnType<typeof receiveBody>> | undefined;
  try {
    const body = request.parse(raw);
    // The file of a repeated call belongs to no run, so it expires.
    received = await receiveBody(files, tenantId, { body });
    const content = (received.payload as { body: unknown }).body;
    const data = handle === null ? parseEventData(content) : content;
    if (!isWithinDepth(data, maxDepth)) throw fault('body', `Nest objects and lists at most ${maxDepth} deep.`);
    storableJson(eventId, 'event_id');
    if (handle === null) {
      const metadata = JSON.stringify({
        source: 'inbound',
        endpoint_id: endpointId,
        ...writeCause(request.cause),
      });
      return {
        ...key,
        topic,
        data: body === content ? writeEventJson(data, raw) : storableJson(data, 'body'),
        metadata,
        firing: null,
      };
    }
    const { query, method } = request;
    const payload = { body: data, query, headers: passedOn(request.headers, verifierHeaders(endpoint)), method };
    storableJson(payload, 'body');
    const actor = systemActor(orgId, tenantId, 'webhook', request.cause);
    const firing = { actor, handle, type: 'webhook', payload, capture: true } as const;
    return { ...key, topic: null, data: null, metadata: null, firing };
  } catch (error) {
    await received?.drop();
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function refuseCall(
  { refusals }: Inbound,
  { tenantId, id: endpoint }: MetEndpoint,
  { headers }: InboundRequest,
  { reason, error, more = {} }: Refusal,
): Promise<never> {
  const named = (name: string) =>
    String(headers[name] ?? '')
      .slice(0, 200)
      .toWellFormed() || null;
  const sample = { user_agent: named('user-agent'), content_type: named('content-type'), ...more };
  await refusals.add({ tenantId, endpoint, reason, sample });
  throw error;
}
