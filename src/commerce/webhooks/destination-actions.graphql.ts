import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { DestinationRef } from './destinations.graphql.ts';
import { createDestinationInput, rotateSecretInput, updateDestinationInput } from './destinations.inputs.ts';
import {
  createDestination,
  deleteDestination,
  disableDestination,
  enableDestination,
  rotateSecret,
  updateDestination,
} from './destinations.service.ts';

const writes = { admin: true, scope: 'webhooks:write' } as const;

const withOwnTopics = ({ deps, ownTopics }: Context) => ({ ...deps, ownTopics });

builder.relayMutationField(
  'createWebhookDestination',
  mutationInput(createDestinationInput),
  {
    description: 'Sends events of these topics to a URL, from now on.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      webhookDestination: await createDestination(withOwnTopics(context), inTenant(context).actor, input),
    }),
  },
  {
    outputFields: (t) => ({
      webhookDestination: t.field({ type: DestinationRef, resolve: ({ webhookDestination: made }) => made }),
    }),
  },
);

builder.relayMutationField(
  'updateWebhookDestination',
  mutationInput(updateDestinationInput, idField),
  {
    description: 'Changes what is given and leaves the rest; also for what waits to be sent.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      webhookDestination: await updateDestination(
        withOwnTopics(context),
        inTenant(context).actor,
        readId('WebhookDestination', id),
        changes,
      ),
    }),
  },
  {
    outputFields: (t) => ({
      webhookDestination: t.field({ type: DestinationRef, resolve: ({ webhookDestination: made }) => made }),
    }),
  },
);

builder.relayMutationField(
  'deleteWebhookDestination',
  { inputFields: idField },
  {
    description: 'Deletes a destination. What waits for it is not sent; the log of what was sent stays.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('WebhookDestination', id);
      await deleteDestination(context.deps, inTenant(context).actor, key);
      return { deletedId: encodeGlobalID('WebhookDestination', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted destination.' }),
    }),
  },
);

builder.relayMutationField(
  'rotateWebhookSecret',
  mutationInput(rotateSecretInput, idField),
  {
    description: 'Replaces the secret of a destination. For 24 hours deliveries carry a signature by each of the two.',
    authScopes: writes,
    errors: errorTypes,
    resolve: (_root, { input: { id, ...input } }, context) =>
      rotateSecret(context.deps, inTenant(context).actor, readId('WebhookDestination', id), input),
  },
  {
    outputFields: (t) => ({
      webhookDestination: t.field({ type: DestinationRef, resolve: ({ destination }) => destination }),
      secret: t.exposeString('secret', { description: 'The new secret; it is shown here once.' }),
      previousSecretExpiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Until when the former one signs as well; null where there was none.',
        resolve: ({ destination }) => destination.previousSecretExpiresAt,
      }),
    }),
  },
);

builder.relayMutationField(
  'enableWebhookDestination',
  { inputFields: idField },
  {
    description: 'Sends to a destination again, from now on; what is held stays held until it is recovered.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      webhookDestination: await enableDestination(
        context.deps,
        inTenant(context).actor,
        readId('WebhookDestination', id),
      ),
    }),
  },
  {
    outputFields: (t) => ({
      webhookDestination: t.field({ type: DestinationRef, resolve: ({ webhookDestination: one }) => one }),
    }),
  },
);

builder.relayMutationField(
  'disableWebhookDestination',
  { inputFields: idField },
  {
    description: 'Sends nothing more to a destination; what waits for it, and events from now on, are held.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      webhookDestination: await disableDestination(
        context.deps,
        inTenant(context).actor,
        readId('WebhookDestination', id),
      ),
    }),
  },
  {
    outputFields: (t) => ({
      webhookDestination: t.field({ type: DestinationRef, resolve: ({ webhookDestination: one }) => one }),
    }),
  },
);
