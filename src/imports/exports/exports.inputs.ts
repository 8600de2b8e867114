import { z } from 'zod';
import { formats, type KeptProfile, keptProfile } from '#src/imports/profiles/profiles.inputs.ts';

const filter = z.record(z.string().max(63), z.string().min(1).max(191));

export const startExportInput = z.object({
  /** By default that of the profile. */
  target: z.string().nullish(),
  /** By default that of the profile, or CSV. */
  format: z.enum(formats).nullish(),
  /** The name of an import profile, whose mapping is reversed. */
  profile: z.string().nullish(),
  filter: filter.nullish(),
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
