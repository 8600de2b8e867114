import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { productVersion } from '#src/infra/product-version.ts';
import { type Health, readHealth } from './health.reads.ts';

const HealthType = builder.objectRef<Health>('Health').implement({
  description: 'How the installation does, and what waits in the tenant.',
  fields: (t) => ({
    version: t.string({ description: 'The version of the product.', resolve: () => productVersion }),
    workers: t.exposeInt('workers', { description: 'Processes that execute runs now.' }),
    eventLagSeconds: t.exposeFloat('eventLagSeconds', {
      description:
        'Age of the oldest event that has not been handed to webhooks, triggers and subscriptions; 0 if all have.',
    }),
    oldestQueuedAt: t.expose('oldestQueuedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the oldest run that waits for a worker was queued; null if none waits.',
    }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    authScopes: { member: true },
    complexity: 10,
    description: 'How the installation does, and what waits in the tenant.',
    resolve: (_root, _args, context) => readHealth(context.deps.database, inTenant(context).tenantId),
  }),
);
