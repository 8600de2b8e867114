import type { Domain } from '#src/domain.ts';
import { auditedFailedJob } from './failed-jobs/failed-jobs.audit.ts';

export const operationsParts: Domain['parts'] = { audited: [auditedFailedJob] };
