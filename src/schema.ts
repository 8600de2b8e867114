import { builder } from './builder.ts';
import './identity/me.graphql.ts';
import './identity/tenants.graphql.ts';
import './automation/dead-letters/dead-letter-live.graphql.ts';
import './automation/dead-letters/dead-letters.graphql.ts';
import './automation/nodes/credential-types.graphql.ts';
import './automation/nodes/node-calls.graphql.ts';
import './automation/nodes/node-packages.graphql.ts';
import './automation/nodes/nodes.graphql.ts';
import './automation/runs/runs.graphql.ts';
import './automation/runs/run-actions.graphql.ts';
import './automation/runs/workflow-runs.graphql.ts';
import './automation/runs/run-details.graphql.ts';
import './automation/runs/run-live.graphql.ts';
import './automation/schemas/schemas.graphql.ts';
import './automation/triggers/triggers.graphql.ts';
import './automation/workflows/workflows.graphql.ts';

export const schema = builder.toSchema();
