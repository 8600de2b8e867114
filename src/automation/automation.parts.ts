import type { Domain } from '#src/domains/parts/domain.ts';
import {
  auditedCredential,
  sealedCredentials,
  credentialExpired,
  credentialExpiring,
  credentialRevoked,
} from './credentials/credentials.declarations.ts';
import { packageSchemas } from './packages/schemas/package-schemas.ts';
import { auditedRetention } from './retention/retention.declarations.ts';
import { auditedRun, executeRunJob, runFailed, runFinished } from './runs/runs.declarations.ts';
import { scheduleTickJob } from './schedules/schedules.declarations.ts';
import { auditedSecret, sealedSecret } from './secrets/secrets.declarations.ts';
import { auditedStateEntry } from './state/state.declarations.ts';
import {
  auditedTrigger,
  auditedWorkflow,
  buildWorkflowJob,
  stopWorkflowRunsJob,
} from './workflows/workflows.declarations.ts';

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
