import { builder } from '#src/graphql/builder.ts';
import type { Topic } from './topic.ts';

const EventTopicRef = builder.objectRef<Topic>('EventTopic').implement({
  description: 'A kind of event that this server publishes.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As triggers and webhook destinations take it: `order.created`.' }),
    when: t.exposeString('when', { description: 'When it is published, in English: `when an order is cancelled`.' }),
  }),
});

builder.queryField('eventTopics', (t) =>
  t.field({
    type: [EventTopicRef],
    description:
      'The topics that this server publishes, by name. The workflows and inbound endpoints of a tenant may publish others.',
    authScopes: { member: true },
    resolve: (_root, _args, { declaredTopics }) => [...declaredTopics],
  }),
);
