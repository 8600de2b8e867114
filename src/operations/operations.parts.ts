import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedDatabase } from './database/database.audit.ts';
import { auditedFailedJob } from './failed-jobs/failed-jobs.audit.ts';

export const operationsParts: Domain['parts'] = { audited: [auditedDatabase, auditedFailedJob] };
