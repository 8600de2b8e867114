import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedOutboxFailure } from './outbox/outbox.declarations.ts';

export const journalParts: Domain['parts'] = { audited: [auditedOutboxFailure] };
