import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import type { WebhookVerify } from '#src/automation/firings/firings.inputs.ts';
import { pollFaults } from '#src/automation/polls/poll-faults.rules.ts';
import type { PollConfig } from '#src/automation/polls/polls.inputs.ts';
import { cronFaults } from '#src/infra/cron/cron-faults.ts';
import { type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { publicConfigs, secretMembers } from '#src/infra/signing/verifier-configs.ts';
import { type TopicNames, unknownTopicFault } from '#src/infra/topic-names.ts';
import { triggerConfigs, type TriggerType } from './triggers.inputs.ts';

/** A trigger's config as it is stored. Throws a ValidationError with keys under `config` when it does not fit the type. */
export function readTriggerConfig(type: TriggerType, given: unknown, { ownTopics }: TopicNames = {}): object {
  const config = parseInput(triggerConfigs[type], given ?? {}, 'config');
  const faults: FieldErrors = {};
  if ('cron' in config && config.cron != null) {
    const { cron, timezone } = config;
    for (const [field, messages] of Object.entries(cronFaults({ cron, timezone }))) {
      faults[`config.${field}`] = messages;
    }
  }
  if ('watermark' in config) Object.assign(faults, pollFaults(config as PollConfig));
  if ('filter' in config && config.filter !== undefined) {
    const filterFault = findFilterFault(config.filter);
    if (filterFault !== undefined) faults['config.filter'] = [filterFault];
  }
  if ('topics' in config && ownTopics) {
    config.topics.forEach((topic, index) => {
      const fault = unknownTopicFault(topic, ownTopics);
      if (fault !== undefined) faults[`config.topics.${index}`] = [fault];
    });
  }
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  if ('verify' in config && config.verify !== undefined) return { ...config, verify: readVerify(config.verify) };
  return config;
}

/** The keys of the tenant's secrets that a stored config names. */
export const secretsNamedIn = (config: { verify?: WebhookVerify }): string[] =>
  config.verify === undefined ? [] : [config.verify.secret_ref].flat();

/** The secret itself is refused: it would be shown with the trigger. */
function readVerify({ verifier, config, secret_ref }: WebhookVerify): WebhookVerify {
  const member = secretMembers[verifier];
  if (member in config)
    throw new ValidationError({
      [`config.verify.config.${member}`]: ['Store it as a secret of the tenant, and name that one in secret_ref.'],
    });
  return { verifier, config: parseInput(publicConfigs[verifier], config, 'config.verify.config'), secret_ref };
}

/** Text without braces is one expression: `trigger.payload.data.total > 100`. */
function findFilterFault(filter: string): string | undefined {
  try {
    compileTemplate({ filter }, { deferred: ['filter'] }).deferred('filter');
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return error.reason;
    throw error;
  }
}

/** Where the sender of a webhook trigger calls: a route of the service API. */
export const webhookUrl = ({ publicUrl }: { publicUrl: string }, handle: string): string =>
  `${publicUrl.replace(/\/$/, '')}/api/v1/webhooks/${handle}`;
