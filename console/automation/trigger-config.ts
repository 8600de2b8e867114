import type { FormMember } from '#console/ui/form/field-props.ts';
import { triggerConfigWords as w } from './trigger-config.words.ts';

/** The members of a trigger's config by its type. How the sender of a webhook proves itself depends on the sender, and stays JSON. */
const members: Readonly<Record<string, readonly FormMember[]>> = {
  MANUAL: [],
  WEBHOOK: [
    {
      name: 'respond',
      type: 'String',
      label: w.respond,
      help: w.respondHelp,
      options: [
        { value: 'immediate', label: w.immediate },
        { value: 'on_finish', label: w.onFinish },
      ],
    },
    { name: 'verify', type: 'JSON', label: w.verify, help: w.verifyHelp },
  ],
  SCHEDULE: [
    { name: 'cron', type: 'String', label: w.cron, help: w.cronHelp, isRequired: true },
    { name: 'timezone', type: 'String', label: w.timezone, help: w.timezoneHelp },
  ],
  EVENT: [
    { name: 'topic', type: 'String', label: w.topic, help: w.topicHelp, isRequired: true },
    { name: 'filter', type: 'String', label: w.filter, help: w.filterHelp },
  ],
};

/** How the config of a new trigger of this type is asked for. */
export const askedOfTrigger = (type: unknown): Readonly<Record<string, Partial<FormMember>>> => {
  return { config: { label: w.config, members: members[String(type)] ?? [] } };
};
