import type { ContractRow } from './contract-row.ts';
import { auditRows, retentionRows, schemaRows, templateRows } from './rows/catalogue.ts';
import { callbackRows, credentialRows, credentialTypeRows } from './rows/credentials.ts';
import { adminRows, authRows } from './rows/identity.ts';
import { nodePackageRows, nodeRows } from './rows/nodes.ts';
import { deadLetterRows, runRows, webhookRows, workflowRunRows } from './rows/runs.ts';
import { secretRows, stateRows } from './rows/stores.ts';
import { revisionRows, scheduleRows, triggerRows, workflowCredentialRows, workflowRows } from './rows/workflows.ts';

/** Every documented row of the service API, by area. */
export const contractRows: readonly ContractRow[] = [
  ...auditRows,
  ...authRows,
  ...credentialTypeRows,
  ...credentialRows,
  ...callbackRows,
  ...nodePackageRows,
  ...nodeRows,
  ...deadLetterRows,
  ...runRows,
  ...scheduleRows,
  ...schemaRows,
  ...stateRows,
  ...templateRows,
  ...secretRows,
  ...triggerRows,
  ...webhookRows,
  ...workflowCredentialRows,
  ...revisionRows,
  ...workflowRunRows,
  ...workflowRows,
  ...retentionRows,
  ...adminRows,
];

/** A path as it is compared: what its parameters are called does not matter. */
export const pattern = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
