import type { InboundRefusalReason } from '#prisma/enums.ts';

/** A call that was refused. */
export interface Refused {
  tenantId: string;
  /** The database id. */
  endpoint: number;
  reason: InboundRefusalReason;
  /** What helps its sender to find out why, each at most 200 characters; never what it proves itself with. */
  sample: Readonly<Record<string, string | number | null>>;
}
