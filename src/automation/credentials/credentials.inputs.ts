import { z } from 'zod';
import { isStorable, unstorable } from '#src/infra/json.ts';
import { rateLimitInput } from './rates/rate-limit.inputs.ts';

export const credentialName = z.string().trim().min(1).max(191).refine(isStorable, unstorable);

/** Values for the type's fields; unknown keys are dropped. */
export const credentialConfig = z.record(z.string(), z.unknown());

const credentialTypeSlug = z.string().min(1).max(128);

const expiresAt = z.date().min(new Date('2000-01-01T00:00:00Z')).nullish();

export const createCredentialInput = z.object({
  credentialTypeSlug: credentialTypeSlug.describe('`<namespace>:<name>`; its latest registered version is used.'),
  name: credentialName.describe('1 to 191 characters, unique in the tenant.'),
  config: credentialConfig.describe("Held against the type's fields."),
  expiresAt: expiresAt.describe('Left out: the expiry of its JWTs.'),
  rateLimit: rateLimitInput.nullish().describe('How many requests its API takes; left out: no limit.'),
});

export const updateCredentialInput = z.object({
  name: credentialName.nullish().describe('1 to 191 characters, unique in the tenant; null leaves it as it is.'),
  config: credentialConfig
    .nullish()
    .describe('The whole config; secret fields left out keep what they hold, `null` empties one.'),
  expiresAt: expiresAt.describe('When it stops working.'),
  rateLimit: rateLimitInput.nullish().describe('How many requests its API takes; null removes the limit.'),
});

export const testConfigInput = z.object({
  credentialTypeSlug: credentialTypeSlug.describe('The type to test as: `<namespace>:<name>`.'),
  config: credentialConfig.describe('A value for each field of the type, secrets included; it is not stored.'),
});
