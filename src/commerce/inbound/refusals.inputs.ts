import type { InboundRefusalReason } from '#prisma/enums.ts';

/** A call that was refused. */
export interface Refused {
  tenantId: string;
  /** The database id. */
  endpoint: number;
  reason: InboundRefusalReason;
  /** Details that help the sender to find the cause, each at most 200 characters; never its signature or secret. */
  sample: Readonly<Record<string, string | number | null>>;
}
