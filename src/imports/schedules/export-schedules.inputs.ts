import { z } from 'zod';
import { startExportInput } from '#src/imports/exports/exports.inputs.ts';
import { cron, directory, timezone } from '#src/imports/transfers/transfers.inputs.ts';
import { globalId } from '#src/infra/graph-types.ts';

const filename = z.string().trim().min(1).max(191);

export const createExportScheduleInput = startExportInput.extend({
  accountId: globalId.describe('The SFTP account whose server gets the files.'),
  path: directory.nullish().describe('The directory that files are put into; left out: where the user is put.'),
  filename: filename.describe('Such as `stock-{date}.csv`; `{time}` and `{job}` make it another name each time.'),
  cron: cron.describe('Five fields, or six with seconds first.'),
  timezone: timezone.nullish().describe('An IANA time zone, also of `{date}` and `{time}`; left out: UTC.'),
  active: z.boolean().nullish().describe('Left out: true.'),
});

/** Fields that are left out or null stay, except `profile`, `target`, `format` and `filter`, which null clears. */
export const updateExportScheduleInput = z.object({
  accountId: globalId.nullish().describe('Null leaves it as it is.'),
  filename: filename.nullish().describe('Null leaves it as it is.'),
  cron: cron.nullish().describe('Null leaves it as it is.'),
  profile: startExportInput.shape.profile.describe('Null: none; left out, it stays.'),
  target: startExportInput.shape.target.describe('Null: that of the profile; left out, it stays.'),
  format: startExportInput.shape.format.describe('Null: that of the profile; left out, it stays.'),
  filter: startExportInput.shape.filter.describe('Null: none; left out, it stays.'),
  path: directory.nullish().describe('Null leaves it as it is.'),
  timezone: timezone.nullish().describe('Null leaves it as it is.'),
  active: z.boolean().nullish().describe('Null leaves it as it is.'),
});
