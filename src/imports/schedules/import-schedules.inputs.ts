import { z } from 'zod';
import { afterwards, cron, directory, timezone } from '#src/imports/transfers/transfers.inputs.ts';
import { globalId, graphTypes } from '#src/infra/graph-types.ts';

const pattern = z
  .string()
  .min(1)
  .max(191)
  .regex(/^[^/\\\p{Cc}]+$/u, 'Write the pattern of a name, such as stock-*.csv; `path` is the directory.');
const afterwardsKind = z.enum(afterwards).register(graphTypes, { type: 'ImportedFile' });
const maxFiles = z.int().min(1).max(1_000);
/** A profile's name. */
const profile = z.string().min(1).max(191);

export const createImportScheduleInput = z.object({
  accountId: globalId.nullish().describe('The SFTP account whose server has the files.'),
  sourceId: globalId.nullish().describe('The HTTP source, where files are not on an SFTP server.'),
  profile: profile.describe("An import profile's name."),
  path: directory.nullish().describe('The directory of the files; left out: where the user is put.'),
  pattern: pattern.nullish().describe('Such as `stock-*.csv`; left out: all files of the directory.'),
  cron: cron.describe('Five fields, or six with seconds first.'),
  timezone: timezone.nullish().describe('An IANA time zone; left out: UTC.'),
  movedTo: directory.nullish().describe('Below `path`, or from the root on; left out: `processed`.'),
  afterwards: afterwardsKind.nullish().describe('Left out: `MOVE`.'),
  maxFiles: maxFiles.nullish().describe('Of one run, 1 to 1,000; left out: 100.'),
  active: z.boolean().nullish().describe('Left out: true.'),
});

/** Fields that are left out or null stay. An account replaces a source, and a source an account. */
export const updateImportScheduleInput = z.object({
  profile: profile.nullish().describe('Null leaves it as it is.'),
  cron: cron.nullish().describe('Null leaves it as it is.'),
  accountId: globalId.nullish().describe('Replaces the account or source.'),
  sourceId: globalId.nullish().describe('Replaces the account or source.'),
  path: directory.nullish().describe('Null leaves it as it is.'),
  pattern: pattern.nullish().describe('Null leaves it as it is.'),
  timezone: timezone.nullish().describe('Null leaves it as it is.'),
  afterwards: afterwardsKind.nullish().describe('Null leaves it as it is.'),
  movedTo: directory.nullish().describe('Null leaves it as it is.'),
  maxFiles: maxFiles.nullish().describe('Null leaves it as it is.'),
  active: z.boolean().nullish().describe('Null leaves it as it is.'),
});
