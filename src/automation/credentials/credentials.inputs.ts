import { z } from 'zod';
import { isStorable, unstorable } from '#src/infra/json.ts';

export const credentialName = z.string().trim().min(1).max(191).refine(isStorable, unstorable);

/** Values for the type's fields; unknown keys are dropped. */
export const credentialConfig = z.record(z.string(), z.unknown());

const credentialTypeSlug = z.string().min(1).max(128);

/** When the credential stops working. When left out, it is read from its secrets if they are JWTs. */
const expiresAt = z.date().min(new Date('2000-01-01T00:00:00Z')).nullish();

export const createCredentialInput = z.object({
  credentialTypeSlug,
  name: credentialName,
  config: credentialConfig,
  expiresAt,
});

export const updateCredentialInput = z.object({
  name: credentialName.nullish(),
  config: credentialConfig.nullish(),
  expiresAt,
});

export const testConfigInput = z.object({ credentialTypeSlug, config: credentialConfig });
