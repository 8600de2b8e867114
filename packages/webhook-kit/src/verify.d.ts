export type WebhookErrorCode =
  | 'signature_missing'
  | 'signature_wrong'
  | 'id_missing'
  | 'timestamp_missing'
  | 'timestamp_off'
  | 'body_unreadable';

/** A delivery that fails verification; answer it 401. */
export declare class WebhookError extends Error {
  readonly code: WebhookErrorCode;
  constructor(code: WebhookErrorCode, message: string);
}

/** The body of every delivery. New members may appear: ignore those that you do not know. */
export interface WebhookEvent<Data = unknown> {
  /** The same for every delivery of the event: identifies repeats. */
  id: string;
  topic: string;
  tenant_id: string;
  /** ISO 8601. */
  time: string;
  data: Data;
  metadata: Record<string, unknown>;
}

export interface Delivery {
  /** The raw body, exactly as it was received: never parsed and written again. */
  body: Uint8Array | string;
  /** A `Headers` object, or `request.headers` of Node. */
  headers: { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The secret of the destination; several while one is being replaced. */
  secret: string | readonly string[];
  /** How far the clock of the sender may be off; 300 by default. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970, for tests. */
  now?: number;
}

export interface VerifiedDelivery<Data = unknown> {
  /** The id of the event. */
  id: string;
  /** When the delivery was signed, in seconds since 1970. */
  timestamp: number;
  topic: string | null;
  event: WebhookEvent<Data>;
}

/** Verifies a delivery over its raw body, and returns its event. Throws a WebhookError. */
export declare function verifyWebhook<Data = unknown>(delivery: Delivery): VerifiedDelivery<Data>;

/**
 * Verifies the sender of a body, whatever its content: for requests of the platform that are not events. Throws a WebhookError, and a
 * TypeError without a secret.
 */
export declare function verifySignature(delivery: Delivery): { id: string; timestamp: number };
