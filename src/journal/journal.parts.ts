import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedOutboxFailure } from './outbox/outbox.audit.ts';

export const journalParts: Domain['parts'] = { audited: [auditedOutboxFailure] };
