import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { updateRetentionInput } from './retention.inputs.ts';
import type { Retention } from './retention.rules.ts';
import { readRetention, updateRetention } from './retention.service.ts';

const RetentionRef = builder.objectRef<Retention>('Retention').implement({
  description: 'How many days the tenant keeps its history, once it has ended; null keeps it for ever.',
  fields: (t) => ({
    runDays: t.exposeInt('runDays', {
      nullable: true,
      description: 'Runs that ended, with all that belongs to them, and dead letters that were settled.',
    }),
    stepDays: t.exposeInt('stepDays', {
      nullable: true,
      description: 'Steps of runs that succeeded or were cancelled. A failed run can be retried, so it keeps its own.',
    }),
    logDays: t.exposeInt('logDays', { nullable: true, description: 'Lines that nodes logged.' }),
    auditDays: t.exposeInt('auditDays', { nullable: true, description: 'Entries of the audit log.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Null where the defaults hold, as nobody has set anything.',
    }),
  }),
});

builder.queryField('retention', (t) =>
  t.field({
    type: RetentionRef,
    description: 'How long the tenant keeps its history.',
    authScopes: { member: true },
    resolve: (_root, _args, context) => {
      const { db, tenantId } = inTenant(context);
      return readRetention(db, tenantId);
    },
  }),
);

builder.relayMutationField(
  'updateRetention',
  mutationInput(updateRetentionInput),
  {
    description: 'Changes what is given and leaves the rest. The next sweep deletes for good what is now too old.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      retention: await updateRetention(context.deps, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ retention: t.field({ type: RetentionRef, resolve: ({ retention }) => retention }) }) },
);
