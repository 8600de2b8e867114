import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
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

const descriptions = {
  name: 'Of the receiving system, 1 to 191 characters.',
  url: 'https, or http to a host that the operator allows.',
  topics: 'Such as `order.created`, at most 100; `*` is all.',
  secret: 'Signs deliveries; 16 to 1,024 characters. It is stored encrypted and never answered.',
  secretRef: 'The key of a secret of the tenant, which signs instead.',
  headers: 'Sent beside ours, by name, at most 20; stored encrypted.',
  filter: 'An expression over `event`, e.g. `event.data.channel = "web"`; what it is not true of is not sent.',
  ratePerSecond: 'The most deliveries a second, 1 to 1,000.',
  concurrency: 'The most deliveries at a time, 1 to 100; 20 unless set.',
  ordered: 'Sends events one at a time and in order; each waits until the one before has arrived.',
};

const depsOf = ({ deps, ownTopics }: Context) => ({ ...deps, ownTopics });

builder.relayMutationField(
  'createWebhookDestination',
  {
    inputFields: (t) => ({
      name: t.string({ required: true, description: descriptions.name }),
      url: t.string({ required: true, description: descriptions.url }),
      topics: t.stringList({ required: true, description: descriptions.topics }),
      secret: t.string({ description: `${descriptions.secret} Without one, or a reference, deliveries are unsigned.` }),
      secretRef: t.string({ description: descriptions.secretRef }),
      headers: t.field({ type: 'JSON', description: descriptions.headers }),
      filter: t.string({ description: descriptions.filter }),
      ratePerSecond: t.int({ description: `${descriptions.ratePerSecond} Left out: no limit.` }),
      concurrency: t.int({ description: descriptions.concurrency }),
      ordered: t.boolean({ description: `${descriptions.ordered} Left out: false.` }),
    }),
  },
  {
    extensions: takes(createDestinationInput),
    description: 'Sends events of these topics to a URL, from now on.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      webhookDestination: await createDestination(depsOf(context), inTenant(context).actor, input),
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
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string({ description: `${descriptions.name} Null leaves it as it is.` }),
      url: t.string({ description: `${descriptions.url} Null leaves it as it is.` }),
      topics: t.stringList({ description: `${descriptions.topics} Null leaves them as they are.` }),
      secret: t.string({
        description: `${descriptions.secret} It takes the place of the former one at once; to have both for a while, rotate it. Null removes it.`,
      }),
      secretRef: t.string({ description: `${descriptions.secretRef} Null removes it.` }),
      headers: t.field({
        type: 'JSON',
        description: `${descriptions.headers} They replace the former ones; null removes them.`,
      }),
      filter: t.string({ description: `${descriptions.filter} Null removes it.` }),
      ratePerSecond: t.int({ description: `${descriptions.ratePerSecond} Null removes the limit.` }),
      concurrency: t.int({ description: `${descriptions.concurrency} Null leaves it as it is.` }),
      ordered: t.boolean({ description: `${descriptions.ordered} Null leaves it as it is.` }),
    }),
  },
  {
    extensions: takes(updateDestinationInput, 'id'),
    description: 'Changes what is given and leaves the rest; also for what waits to be sent.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      webhookDestination: await updateDestination(
        depsOf(context),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      secret: t.string({ description: 'At least 16 characters; left out, one is made.' }),
    }),
  },
  {
    extensions: takes(rotateSecretInput, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
