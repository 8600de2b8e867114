import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedCredential } from './credentials/credentials.audit.ts';
import { sealedCredentials } from './credentials/credentials.sealed.ts';
import { credentialExpired, credentialExpiring, credentialRevoked } from './credentials/credentials.topics.ts';
import { packageSchemas } from './packages/schemas/package-schemas.ts';
import { auditedRetention } from './retention/retention.audit.ts';
import { auditedRun } from './runs/runs.audit.ts';
import { executeRunJob } from './runs/runs.jobs.ts';
import { runFailed, runFinished } from './runs/runs.topics.ts';
import { scheduleTickJob } from './schedules/schedules.jobs.ts';
import { auditedSecret } from './secrets/secrets.audit.ts';
import { sealedSecret } from './secrets/secrets.sealed.ts';
import { auditedStateEntry } from './state/state.audit.ts';
import { auditedTrigger, auditedWorkflow } from './workflows/workflows.audit.ts';
import { buildWorkflowJob, stopWorkflowRunsJob } from './workflows/workflows.jobs.ts';

export const automationParts: Domain['parts'] = {
  jobs: [buildWorkflowJob, stopWorkflowRunsJob, executeRunJob, scheduleTickJob],
  topics: [runFinished, runFailed, credentialExpiring, credentialExpired, credentialRevoked],
  audited: [
    auditedWorkflow,
    auditedTrigger,
    auditedRun,
    auditedCredential,
    auditedSecret,
    auditedStateEntry,
    auditedRetention,
  ],
  schemas: packageSchemas,
  sealedColumns: [...sealedCredentials, sealedSecret],
};
