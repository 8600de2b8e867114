import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedDatabase } from './database/database.declarations.ts';
import { auditedFailedJob } from './failed-jobs/failed-jobs.declarations.ts';

export const operationsParts: Domain['parts'] = { audited: [auditedDatabase, auditedFailedJob] };
