import { auditLogRoutes } from './automation/audit-logs.routes.ts';
import { credentialOauthRoutes } from './automation/credential-oauth.routes.ts';
import { credentialTypeRoutes } from './automation/credential-types.routes.ts';
import { credentialRoutes } from './automation/credentials.routes.ts';
import { deadLetterRoutes } from './automation/dead-letters.routes.ts';
import { nodePackageRoutes } from './automation/node-packages.routes.ts';
import { nodeRoutes } from './automation/nodes.routes.ts';
import { retentionRoutes } from './automation/retention.routes.ts';
import { revisionRoutes } from './automation/revisions.routes.ts';
import { runRoutes } from './automation/runs.routes.ts';
import { scheduleRoutes } from './automation/schedules.routes.ts';
import { schemaRoutes } from './automation/schemas.routes.ts';
import { secretRoutes } from './automation/secrets.routes.ts';
import { stateRoutes } from './automation/state.routes.ts';
import { templateRoutes } from './automation/templates.routes.ts';
import { triggerRoutes } from './automation/triggers.routes.ts';
import { webhookRoutes } from './automation/webhooks.routes.ts';
import { workflowRoutes } from './automation/workflows.routes.ts';
import { meRoutes } from './identity/me.routes.ts';
import { orgRoutes } from './identity/orgs.routes.ts';
import type { Route } from './route.ts';

/** Every route of the REST face. */
export const routes: Route[] = [
  ...meRoutes,
  ...orgRoutes,
  ...workflowRoutes,
  ...revisionRoutes,
  ...triggerRoutes,
  ...scheduleRoutes,
  ...runRoutes,
  ...deadLetterRoutes,
  ...auditLogRoutes,
  ...retentionRoutes,
  ...webhookRoutes,
  ...credentialTypeRoutes,
  ...credentialRoutes,
  ...credentialOauthRoutes,
  ...nodeRoutes,
  ...nodePackageRoutes,
  ...templateRoutes,
  ...secretRoutes,
  ...stateRoutes,
  ...schemaRoutes,
];
