import type { FormMember } from '#console/ui/form/field-props.ts';
import { triggerConfigWords as w } from './trigger-config.words.ts';

/** The members of a trigger's config by its type. Those of a webhook have parts of their own, which stay JSON. */
const members: Readonly<Record<string, readonly FormMember[]>> = {
  MANUAL: [],
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
  const asked = members[String(type)];
  return { config: asked ? { label: w.config, members: asked } : { label: w.config, help: w.webhookHelp } };
};
