import { z } from 'zod';
import { fileFormat, type KeptProfile, keptProfile } from '#src/imports/profiles/profiles.inputs.ts';

const filter = z.record(z.string().max(63), z.string().min(1).max(191));

export const startExportInput = z.object({
  target: z.string().nullish().describe('What to export: `stock`, `orders`. Left out: that of the profile.'),
  format: fileFormat.nullish().describe('Left out: that of the profile, or `CSV`.'),
  profile: z.string().nullish().describe('The name of an import profile, whose mapping is reversed.'),
  filter: filter
    .nullish()
    .describe('Exports rows that have these values, by field; `updated_since`: that changed then or later.'),
});

/** An export as its job stores it: the settings of a profile, and its filters. */
export const keptExport = keptProfile.extend({ filter });
export type KeptExport = z.output<typeof keptExport>;

/** The defaults of a profile. */
export const plainProfile: KeptProfile = {
  format: 'csv',
  mapping: null,
  recordPath: null,
  namespaces: null,
  sheet: null,
  delimiter: ',',
  quote: '"',
  header: true,
  skipLines: 0,
  encoding: 'utf-8',
  decimalSeparator: '.',
  quantityBasis: 'physical',
  mode: 'full',
  absent: 'keep',
  asOf: null,
  maxRejected: null,
};
