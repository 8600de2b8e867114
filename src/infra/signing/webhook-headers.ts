import { signBody, signMessage } from './webhook-signatures.ts';

/** An event on its way to a receiver. */
export interface SentEvent {
  eventId: string;
  topic: string;
  /** The raw bytes, exactly as they are sent. */
  body: Uint8Array;
  /** In epoch milliseconds. */
  atMs: number;
}

/** The headers of a call that sends an event, signed with each secret, the newest first; unsigned without any. */
export function webhookHeaders(
  { eventId, topic, body, atMs }: SentEvent,
  secrets: readonly string[],
): Record<string, string | undefined> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const isSigned = secrets.length > 0;
  return {
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'x-platform-id': eventId,
    'x-platform-topic': topic,
    'x-platform-timestamp': timestamp,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'x-platform-signature': isSigned ? signBody(body, secrets) : undefined,
    'webhook-signature': isSigned ? signMessage({ id: eventId, timestamp, body }, secrets) : undefined,
  };
}
