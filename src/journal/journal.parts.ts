import type { Domain } from '#src/domain.ts';
import { auditedOutboxFailure } from './outbox/outbox.audit.ts';

export const journalParts: Domain['parts'] = { audited: [auditedOutboxFailure] };
