import type { FormMember } from '#console/ui/form/field-props.ts';
import { type Lookup, queried } from '#console/ui/lookup/lookup.ts';
import { PollPreview } from './poll-preview.tsx';
import { askedOfTrigger } from './trigger-config.ts';
import { IncomingMessages, TriggerTopics } from './trigger-topics.documents.ts';
import { TypedTimes } from './typed-times.tsx';

const topics: Lookup = {
  ...queried(TriggerTopics, ({ eventTopics }) =>
    eventTopics.map(({ name, when }) => ({ id: name, name, about: when })),
  ),
  takesOthers: true,
};

const messages: Lookup = queried(IncomingMessages, ({ incomingMessages }) =>
  incomingMessages.map(({ slug, name, description }) => ({ id: slug, name, about: description })),
);

/** How the config of a trigger is asked for, with what a schedule that is being typed amounts to. */
export const triggerForm = (type: unknown, config: unknown): Readonly<Record<string, Partial<FormMember>>> => {
  const asked = askedOfTrigger(type, config);
  if (type === 'EVENT') {
    const members = asked['config']?.members?.map((member) =>
      member.name === 'topic' ? { ...member, lookup: topics } : member,
    );
    return { ...asked, config: { ...asked['config'], ...(members && { members }) } };
  }
  if (type === 'POLL') return { ...asked, config: { ...asked['config'], below: <PollPreview config={config} /> } };
  if (type === 'WEBHOOK') {
    const members = asked['config']?.members?.map((member) =>
      member.name === 'message'
        ? {
            ...member,
            members: member.members?.map((each) => (each.name === 'slug' ? { ...each, lookup: messages } : each)),
          }
        : member,
    );
    return { ...asked, config: { ...asked['config'], ...(members && { members }) } };
  }
  if (type !== 'SCHEDULE') return asked;
  const { cron, timezone } = (config ?? {}) as { cron?: string; timezone?: string };
  const times = <TypedTimes cron={cron ?? ''} timezone={timezone ?? 'UTC'} />;
  const members = asked['config']?.members?.map((member) =>
    member.name === 'timezone' ? { ...member, below: times } : member,
  );
  return { ...asked, config: { ...asked['config'], ...(members && { members }) } };
};
