import { giveUpDeleted } from '#src/commerce/webhooks/delivery-changes.service.ts';
import { giveUpDeletedJob } from '#src/commerce/webhooks/webhooks.declarations.ts';
import { handle, type JobHandler } from '#src/infra/job-handler.ts';

export const commerceHandlers: readonly JobHandler[] = [
  handle(giveUpDeletedJob, ({ deps }, deleted) => giveUpDeleted(deps, deleted)),
];
