import { z } from 'zod';
import { version as versionSchema } from '#src/infra/json-schema/fragments.ts';

/** `<vendor>/<name>`, the form in which manifests of extensions name their target. */
const theme = z
  .string()
  .max(191)
  .regex(/^[^/\s]+\/[a-z][a-z0-9-]*$/, 'Use <vendor>/<name>, for example acme/starter.')
  .describe('`<vendor>/<name>` of the theme.');
const version = z.string().max(versionSchema.maxLength).regex(new RegExp(versionSchema.pattern), {
  message: 'Use a semantic version, for example 2.1.0.',
});

export const registerThemeInput = z.object({
  theme,
  version: version.describe('Semver; a registered version never changes.'),
  title: z.string().trim().min(1).max(191).describe('Its name for people, 1 to 191 characters.'),
});
export const installThemeInput = z.object({
  theme,
  version: version.describe('A registered version of it.'),
});
export const uninstallThemeInput = z.object({
  theme,
});
