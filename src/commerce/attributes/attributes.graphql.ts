import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageById } from '#src/graphql/paging/connections.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { createAttributeInput, updateAttributeInput } from './attributes.inputs.ts';
import { createAttribute, deleteAttribute, updateAttribute } from './attributes.service.ts';

const admins = { admin: true } as const;

const TargetEnum = defineEnum('AttributeTarget', ['product', 'order', 'organization'], {
  description: 'What carries an attribute.',
});
const TypeEnum = defineEnum('AttributeType', ['text', 'number', 'boolean', 'date', 'select', 'json'], {
  description: 'What values an attribute takes.',
  values: {
    text: 'A string of at most 4,000 characters.',
    number: 'A number of at most 15 digits, 6 of them after the point.',
    date: 'A day, as `"2026-12-24"`.',
    select: "One of the attribute's options.",
    json: 'Any JSON of at most 16 KiB; lists cannot be narrowed by it.',
  },
});

const AttributePermissions = permissionsType('AttributePermissions', {
  update: 'updateAttribute',
  delete: 'deleteAttribute',
});

const AttributeRef = builder.prismaNode('Attribute', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Attribute', id) }),
  authScopes: admins,
  description: 'A field that the tenant adds to its products, orders or organizations.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    target: t.expose('target', { type: TargetEnum, description: 'What carries it; it never changes.' }),
    code: t.exposeString('code', { description: 'Its name under `attributes`; it never changes.' }),
    label: t.exposeString('label', { description: 'Its name for people.' }),
    type: t.expose('type', { type: TypeEnum, description: 'It never changes.' }),
    options: t.exposeStringList('options', { description: 'Of a select; empty for every other type.' }),
    required: t.exposeBoolean('required', { description: 'Whether every write of what carries it needs a value.' }),
    viewerCan: t.field({ type: AttributePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.queryField('attributes', (t) =>
  t.connection(
    {
      type: AttributeRef,
      description: 'The attributes that the tenant defines, newest first.',
      authScopes: admins,
      args: {
        target: t.arg({ type: TargetEnum, description: 'Those of products, orders or organizations alone.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { target, ...page }, context, info) => {
        const { db, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Attribute' });
        const where = { tenantId, ...(target && { target }) };
        return pageById(
          page,
          ({ beyond, ...loading }) =>
            db.attribute.findMany({ ...selected, ...loading, where: { ...where, ...beyond } }),
          (most) => db.attribute.count({ where, take: most }),
        );
      },
    },
    defineConnection(AttributeRef),
  ),
);

builder.relayMutationField(
  'createAttribute',
  mutationInput(createAttributeInput),
  {
    description: 'Adds a field to products, orders or organizations; 100 each.',
    authScopes: admins,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      attribute: await createAttribute(context.deps, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ attribute: t.field({ type: AttributeRef, resolve: ({ attribute }) => attribute }) }) },
);

builder.relayMutationField(
  'updateAttribute',
  mutationInput(updateAttributeInput, idField),
  {
    description: 'Changes the label, the options, or whether a value is required.',
    authScopes: admins,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      attribute: await updateAttribute(context.deps, inTenant(context).actor, readId('Attribute', id), changes),
    }),
  },
  { outputFields: (t) => ({ attribute: t.field({ type: AttributeRef, resolve: ({ attribute }) => attribute }) }) },
);

builder.relayMutationField(
  'deleteAttribute',
  { inputFields: idField },
  {
    description: 'Deletes an attribute. What carries it keeps its value until it is written next.',
    authScopes: admins,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('Attribute', id);
      await deleteAttribute(context.deps, inTenant(context).actor, key);
      return { deletedId: encodeGlobalID('Attribute', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted attribute.' }),
    }),
  },
);
