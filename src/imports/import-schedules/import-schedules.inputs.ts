import { z } from 'zod';
import { afterwards, cron, directory, timezone } from '#src/imports/transfers/transfers.inputs.ts';

const id = z.string();
const pattern = z
  .string()
  .min(1)
  .max(191)
  .regex(/^[^/\\\p{Cc}]+$/u, 'Write the pattern of a name, such as stock-*.csv; `path` is the directory.');
const maxFiles = z.int().min(1).max(1_000);
/** A profile's name. */
const profile = z.string().min(1).max(191);

export const createImportScheduleInput = z.object({
  accountId: id.nullish(),
  sourceId: id.nullish(),
  profile,
  path: directory.nullish(),
  pattern: pattern.nullish(),
  cron,
  timezone: timezone.nullish(),
  movedTo: directory.nullish(),
  afterwards: z.enum(afterwards).nullish(),
  maxFiles: maxFiles.nullish(),
  active: z.boolean().nullish(),
});

/** What is left out or null stays. An account replaces a source, and a source an account. */
export const updateImportScheduleInput = createImportScheduleInput.extend({
  profile: profile.nullish(),
  cron: cron.nullish(),
});
