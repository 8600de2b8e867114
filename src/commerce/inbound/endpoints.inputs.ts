import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';
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
const name = z.string().trim().min(1).max(191);
const verifier = z.enum(verifiers).register(graphTypes, { type: 'InboundVerifier' });
/** Parsed by the verifier, see `verifierConfigs`. */
const config = z.record(z.string().max(100), z.unknown());
const configText =
  'By verifier. `PLATFORM_V0` and `STANDARD_WEBHOOKS`: `secret`, `tolerance_seconds`, the latter also `header_prefix`; `HMAC`: ' +
  '`secret`, `header`, `algorithm`, `encoding`, `prefix`, `pairs`, `tolerance_seconds`, `ping_member`; `BASIC`: `username`, ' +
  '`password`; `API_KEY`: `header`, `value`; the last three also `id_header`, `id_with_header` and `id_path`, where the id of the event is.';

/** The effect of calls: they fire a webhook trigger, or publish events of a topic. */
export const inboundTargets = { triggerHandle: z.guid('A trigger is named by its handle, a UUID.'), topic };
const target = z
  .union([
    z.strictObject({
      triggerHandle: inboundTargets.triggerHandle.describe(
        'They fire the webhook trigger of the tenant with this handle.',
      ),
    }),
    z.strictObject({
      topic: inboundTargets.topic.describe('They make events of this topic, e.g. `erp.stock.counted`.'),
    }),
  ])
  .register(graphTypes, { type: 'InboundTarget', description: 'What the calls of an inbound endpoint cause.' });

export const createEndpointInput = z.object({
  name: name.describe('The sender it is for, 1 to 191 characters.'),
  verifier: verifier.nullish().describe('Left out: that of the preset, or `PLATFORM_V0`.'),
  config: config.nullish().describe(configText),
  target: target.describe('What its calls cause.'),
  preset: z
    .enum(endpointPresetNames)
    .register(graphTypes, { type: 'InboundPreset' })
    .nullish()
    .describe('Fills in what is not given of the verifier and its config.'),
});

/** An absent member stays unchanged. */
export const updateEndpointInput = z.object({
  verifier: verifier.nullish().describe('Another one needs a whole `config`; null leaves it.'),
  config: config.nullish().describe(`Members that are not named stay, the secret too. ${configText}`),
  target: target.nullish().describe('Replaces the former one; null leaves it as it is.'),
  name: name.nullish().describe('1 to 191 characters; null leaves it as it is.'),
});

export const rotateSecretInput = z.object({
  secret: z.string().min(1).max(1_024).describe('The new secret, password or key of its sender.'),
  overlapHours: z
    .int()
    .min(0)
    .max(168)
    .nullish()
    .describe('Hours for which the old one stays good, 0 to 168; left out: 24.'),
});
