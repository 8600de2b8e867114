import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { EndpointStatus, InboundVerifier } from '#prisma/enums.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { endpointPresetNames } from './endpoint-presets.inputs.ts';
import { createEndpointInput, rotateSecretInput, updateEndpointInput } from './endpoints.inputs.ts';
import { endpointList } from './endpoints.reads.ts';
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointDeps,
  rotateSecret,
  setEndpointStatus,
  updateEndpoint,
} from './endpoints.service.ts';

const reads = { member: true, scope: 'webhooks:read' } as const;
const writes = { admin: true, scope: 'webhooks:write' } as const;

const VerifierEnum = defineEnum('InboundVerifier', Object.values(InboundVerifier), {
  description: 'How a sender proves itself.',
  values: {
    platform_v0: 'By the signature that this system puts on what it sends itself, `X-Platform-Signature`.',
    standard_webhooks: 'As standardwebhooks.com has it, `webhook-signature`.',
    hmac: 'By an HMAC of the body in a header of its own.',
    basic: 'By user name and password.',
    api_key: 'By a value in a header.',
  },
});

const StatusEnum = defineEnum('InboundEndpointStatus', Object.values(EndpointStatus), {
  description: 'Whether an endpoint takes calls.',
  values: { disabled: 'Its calls are answered 410.' },
});

defineEnum('InboundPreset', endpointPresetNames, {
  description: 'A well-known sender, whose verifier and config are filled in.',
  values: { commercetools: 'Senders that put a key of your choice into the header Authorization.' },
});

const EndpointPermissions = permissionsType('InboundEndpointPermissions', {
  update: 'updateInboundEndpoint',
  delete: 'deleteInboundEndpoint',
  enable: 'enableInboundEndpoint',
  disable: 'disableInboundEndpoint',
  rotate: 'rotateInboundEndpoint',
});

const EndpointRef = builder.prismaNode('InboundEndpoint', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'InboundEndpoint', id) }),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'A URL to which another system posts its events. Its secrets are kept encrypted, and shown to nobody.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    endpointId: t.exposeString('endpointId', { description: 'The last part of its URL, which nobody can guess.' }),
    url: t.string({
      description: 'Where its calls are posted.',
      select: { endpointId: true },
      resolve: ({ endpointId }, _args, { deps }) => `${deps.publicUrl}/in/${endpointId}`,
    }),
    name: t.exposeString('name'),
    verifier: t.expose('verifier', { type: VerifierEnum, description: 'How its sender proves itself.' }),
    config: t.expose('config', { type: 'JSON', description: 'What its verifier has to know, without the secret.' }),
    previousSecretExpiresAt: t.expose('previousSecretExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret before the present one is good; null where there is none.',
    }),
    triggerHandle: t.exposeString('triggerHandle', {
      nullable: true,
      description: 'Of the webhook trigger that its calls fire; null where they make events.',
    }),
    topic: t.exposeString('topic', {
      nullable: true,
      description: 'Of the events that its calls make; null where they fire a trigger.',
    }),
    status: t.expose('status', { type: StatusEnum, description: 'Whether it takes calls.' }),
    viewerCan: t.field({ type: EndpointPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const EndpointOrderInput = orderInput('InboundEndpoint', {
  of: 'inbound endpoints',
  fields: { CREATED_AT: {}, UPDATED_AT: {}, NAME: {} },
});

builder.queryFields((t) => ({
  inboundEndpoint: t.prismaField({
    type: EndpointRef,
    description: 'An inbound endpoint of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('InboundEndpoint', id) };
      return db.inboundEndpoint.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  inboundEndpoints: t.connection(
    {
      type: EndpointRef,
      description: 'The inbound endpoints of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: EndpointOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'InboundEndpoint' });
        return pageInOrder(endpointList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.inboundEndpoint.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(EndpointRef),
  ),
}));

const withOwnTopics = ({ deps, ownTopics }: Context): EndpointDeps => ({ ...deps, ownTopics });

builder.relayMutationField(
  'createInboundEndpoint',
  mutationInput(createEndpointInput),
  {
    description: 'Makes an inbound endpoint, with a URL of its own.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      inboundEndpoint: await createEndpoint(withOwnTopics(context), inTenant(context).actor, input),
    }),
  },
  {
    outputFields: (t) => ({ inboundEndpoint: t.field({ type: EndpointRef, resolve: (made) => made.inboundEndpoint }) }),
  },
);

builder.relayMutationField(
  'updateInboundEndpoint',
  mutationInput(updateEndpointInput, idField),
  {
    description: 'Changes what is given and leaves the rest; the URL stays. A secret that is given binds at once.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      inboundEndpoint: await updateEndpoint(
        withOwnTopics(context),
        inTenant(context).actor,
        readId('InboundEndpoint', id),
        changes,
      ),
    }),
  },
  {
    outputFields: (t) => ({ inboundEndpoint: t.field({ type: EndpointRef, resolve: (made) => made.inboundEndpoint }) }),
  },
);

builder.relayMutationField(
  'rotateInboundEndpoint',
  mutationInput(rotateSecretInput, idField),
  {
    description: 'Gives an endpoint another secret; for a while both are good.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...input } }, context) => ({
      inboundEndpoint: await rotateSecret(context.deps, inTenant(context).actor, readId('InboundEndpoint', id), input),
    }),
  },
  {
    outputFields: (t) => ({ inboundEndpoint: t.field({ type: EndpointRef, resolve: (made) => made.inboundEndpoint }) }),
  },
);

for (const [name, status, description] of [
  ['enableInboundEndpoint', 'enabled', 'Lets an endpoint take calls again. Enabling it again changes nothing.'],
  ['disableInboundEndpoint', 'disabled', 'From the next call on it answers 410. Disabling it again changes nothing.'],
] as const) {
  builder.relayMutationField(
    name,
    { inputFields: idField },
    {
      description,
      authScopes: writes,
      errors: errorTypes,
      resolve: async (_root, { input: { id } }, context) => ({
        inboundEndpoint: await setEndpointStatus(
          context.deps,
          inTenant(context).actor,
          readId('InboundEndpoint', id),
          status,
        ),
      }),
    },
    {
      outputFields: (t) => ({
        inboundEndpoint: t.field({ type: EndpointRef, resolve: (made) => made.inboundEndpoint }),
      }),
    },
  );
}

builder.relayMutationField(
  'deleteInboundEndpoint',
  { inputFields: idField },
  {
    description: 'Deletes an endpoint; its URL answers 404 from then on.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('InboundEndpoint', id);
      await deleteEndpoint(context.deps, inTenant(context).actor, key);
      return { deletedId: encodeGlobalID('InboundEndpoint', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted endpoint.' }),
    }),
  },
);
