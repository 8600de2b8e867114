export const deliveryStatuses = ['pending', 'delivered', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const attemptStatuses = ['delivered', 'failed'] as const;

/** A delivery as lists show it; ids are the database's. */
export interface Delivery {
  id: number;
  destinationId: number;
  eventId: string;
  topic: string;
  status: DeliveryStatus;
  tries: number;
  nextAttemptAt: Date | null;
  reason: string | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface Attempt {
  deliveryId: number;
  try: number;
  status: (typeof attemptStatuses)[number];
  httpCode: number | null;
  error: string | null;
  durationMs: number;
  response: string | null;
  at: Date;
}
