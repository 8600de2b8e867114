import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedFailedJob } from './failed-jobs/failed-jobs.audit.ts';

export const operationsParts: Domain['parts'] = { audited: [auditedFailedJob] };
