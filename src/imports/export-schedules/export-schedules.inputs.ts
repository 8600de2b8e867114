import { z } from 'zod';
import { startExportInput } from '#src/imports/exports/exports.inputs.ts';
import { cron, directory, timezone } from '#src/imports/transfers/transfers.inputs.ts';

const filename = z.string().trim().min(1).max(191);

export const createExportScheduleInput = startExportInput.extend({
  accountId: z.string(),
  path: directory.nullish(),
  filename,
  cron,
  timezone: timezone.nullish(),
  active: z.boolean().nullish(),
});

/** What is left out or null stays, but for `profile`, `target`, `format` and `filter`, which null clears. */
export const updateExportScheduleInput = createExportScheduleInput.extend({
  accountId: z.string().nullish(),
  filename: filename.nullish(),
  cron: cron.nullish(),
});
