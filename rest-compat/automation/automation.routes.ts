import type { Route } from '#rest/route.ts';
import { credentialOauthRoutes } from './credential-oauth.routes.ts';
import { credentialTypeRoutes } from './credential-types.routes.ts';
import { credentialRoutes } from './credentials.routes.ts';
import { deadLetterRoutes } from './dead-letters.routes.ts';
import { nodePackageRoutes } from './node-packages.routes.ts';
import { nodeRoutes } from './nodes.routes.ts';
import { packageImageRoutes } from './package-images.bytes.ts';
import { retentionRoutes } from './retention.routes.ts';
import { revisionRoutes } from './revisions.routes.ts';
import { runRoutes } from './runs.routes.ts';
import { scheduleRoutes } from './schedules.routes.ts';
import { schemaRoutes } from './schemas.routes.ts';
import { secretRoutes } from './secrets.routes.ts';
import { stateRoutes } from './state.routes.ts';
import { templateRoutes } from './templates.routes.ts';
import { triggerRoutes } from './triggers.routes.ts';
import { webhookRoutes } from './webhooks.routes.ts';
import { workflowRoutes } from './workflows.routes.ts';

export const automationRoutes: Route[] = [
  ...workflowRoutes,
  ...revisionRoutes,
  ...triggerRoutes,
  ...scheduleRoutes,
  ...runRoutes,
  ...deadLetterRoutes,
  ...retentionRoutes,
  ...webhookRoutes,
  ...credentialTypeRoutes,
  ...credentialRoutes,
  ...credentialOauthRoutes,
  ...nodeRoutes,
  ...nodePackageRoutes,
  ...packageImageRoutes,
  ...templateRoutes,
  ...secretRoutes,
  ...stateRoutes,
  ...schemaRoutes,
];
