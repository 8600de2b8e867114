import { z } from 'zod';
import { verifiers } from '#src/infra/signing/verifier-configs.ts';
import { endpointPresetNames } from './endpoint-presets.inputs.ts';

const topic = z
  .string()
  .max(128)
  .regex(
    /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+$/,
    'Name a topic in lower case, with dots between its words, e.g. erp.stock.counted.',
  );

/** The members of an endpoint; the service decides which of them are required. */
const fields = {
  name: z.string().trim().min(1).max(191),
  verifier: z.enum(verifiers).nullish(),
  /** Parsed by the verifier, see `verifierConfigs`. */
  config: z.record(z.string().max(100), z.unknown()).nullish(),
};

/** What calls cause: they fire a webhook trigger, or make events of a topic. */
export const inboundTargets = { triggerHandle: z.guid('A trigger is named by its handle, a UUID.'), topic };
const target = z.union([
  z.strictObject({ triggerHandle: inboundTargets.triggerHandle }),
  z.strictObject({ topic: inboundTargets.topic }),
]);

export const createEndpointInput = z.object({ ...fields, target, preset: z.enum(endpointPresetNames).nullish() });

/** A member that is left out stays as it is. */
export const updateEndpointInput = z.object({ ...fields, target: target.nullish(), name: fields.name.nullish() });

export const rotateSecretInput = z.object({
  secret: z.string().min(1).max(1_024),
  /** Hours for which the old secret stays valid; a week at most. */
  overlapHours: z.int().min(0).max(168).nullish(),
});
