import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum, FileFormatEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import {
  absences,
  createImportProfileInput,
  modes,
  quantityBases,
  updateImportProfileInput,
} from './profiles.inputs.ts';
import { profileList } from './profiles.reads.ts';
import {
  createImportProfile,
  deleteImportProfile,
  readMapping,
  readNamespaces,
  updateImportProfile,
} from './profiles.service.ts';

const reads = { member: true, scope: 'io:read' } as const;
const writes = { admin: true, scope: 'io:write' } as const;

const Basis = defineEnum('QuantityBasis', quantityBases, {
  description: 'What quantities of a full stock file are.',
  values: { physical: 'What is on hand.', available: 'What is on hand less what is reserved.' },
});
const Mode = defineEnum('ImportMode', modes, {
  description: 'What rows state.',
  values: { full: 'What is.', delta: 'What changes.' },
});
const Absent = defineEnum('ImportAbsence', absences, {
  description: 'What becomes of stock that a full file does not name, at the locations that it names.',
  values: { keep: 'It stays.', zero: 'It is counted as 0.' },
});

const ProfilePermissions = permissionsType('ImportProfilePermissions', {
  update: 'updateImportProfile',
  delete: 'deleteImportProfile',
  startImport: 'startImport',
});

const ProfileRef = builder.prismaNode('ImportProfile', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'ImportProfile', id) }),
  // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
  extensions: nodeAccess(reads),
  description: 'How the rows of a file become records.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    name: t.exposeString('name', { description: 'Unique in the tenant.' }),
    target: t.exposeString('target', { description: 'What is imported: `stock`, `products`.' }),
    format: t.field({
      type: FileFormatEnum,
      description: 'What a file is written in.',
      select: { format: true },
      resolve: ({ format }) => format as never,
    }),
    mapping: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Where each field comes from; null: columns are named as fields.',
      select: { mapping: true },
      resolve: (profile) => readMapping(profile),
    }),
    recordPath: t.exposeString('recordPath', { nullable: true, description: 'Where records are in JSON and XML.' }),
    namespaces: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Namespaces of XML by the prefixes of the profile; null: names are as the file writes them.',
      select: { namespaces: true },
      resolve: (profile) => readNamespaces(profile),
    }),
    sheet: t.exposeString('sheet', { nullable: true, description: 'The sheet of a workbook; null: its first.' }),
    delimiter: t.exposeString('delimiter', { description: 'What separates the cells of CSV.' }),
    quote: t.exposeString('quote', { description: 'What stands around cells of CSV; empty: nothing does.' }),
    header: t.exposeBoolean('header', {
      description:
        'Whether the first row of CSV and workbooks names the columns; else they are named "1", "2" and so on.',
    }),
    skipLines: t.exposeInt('skipLines', { description: 'Lines of CSV, or rows of a sheet, before the header.' }),
    encoding: t.exposeString('encoding', { description: 'Of the text of CSV and XML.' }),
    decimalSeparator: t.exposeString('decimalSeparator', { description: '`.` or `,`.' }),
    quantityBasis: t.field({
      type: Basis,
      description: 'What quantities of a full stock file are.',
      select: { quantityBasis: true },
      resolve: ({ quantityBasis }) => quantityBasis as never,
    }),
    mode: t.field({
      type: Mode,
      description: 'What rows state.',
      select: { mode: true },
      resolve: ({ mode }) => mode as never,
    }),
    absent: t.field({
      type: Absent,
      description: 'What becomes of stock that a full file does not name.',
      select: { absent: true },
      resolve: ({ absent }) => absent as never,
    }),
    maxRejected: t.exposeString('maxRejected', {
      nullable: true,
      description: 'A file that rejects more rows, as a number or a share, is refused as a whole; null: any number.',
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      nullable: true,
      description: 'The moment that stock is counted at; movements since then stay on top of it. Null: now.',
    }),
    viewerCan: t.field({ type: ProfilePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ProfileOrderInput = orderInput('ImportProfile', {
  of: 'import profiles',
  fields: { NAME: {}, CREATED_AT: {} },
});

builder.queryFields((t) => ({
  importProfile: t.prismaField({
    type: ProfileRef,
    description: 'An import profile of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('ImportProfile', id) };
      return db.importProfile.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  importProfiles: t.connection(
    {
      type: ProfileRef,
      description: 'The import profiles of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: ProfileOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'ImportProfile' });
        return pageInOrder(profileList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.importProfile.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(ProfileRef),
  ),
}));

builder.relayMutationField(
  'createImportProfile',
  mutationInput(createImportProfileInput),
  {
    description: 'Adds an import profile.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { imports, actor } = inTenant(context);
      return { importProfile: await createImportProfile(imports, actor, input) };
    },
  },
  {
    outputFields: (t) => ({
      importProfile: t.field({ type: ProfileRef, resolve: ({ importProfile }) => importProfile }),
    }),
  },
);

builder.relayMutationField(
  'updateImportProfile',
  mutationInput(updateImportProfileInput, idField),
  {
    description: 'Changes what is given and leaves the rest. Jobs that were started keep the profile as it was.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => {
      const { imports, actor } = inTenant(context);
      return { importProfile: await updateImportProfile(imports, actor, readId('ImportProfile', id), changes) };
    },
  },
  {
    outputFields: (t) => ({
      importProfile: t.field({ type: ProfileRef, resolve: ({ importProfile }) => importProfile }),
    }),
  },
);

builder.relayMutationField(
  'deleteImportProfile',
  { inputFields: idField },
  {
    description: 'Deletes an import profile. Jobs that were started keep it as it was.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('ImportProfile', id);
      const { imports, actor } = inTenant(context);
      await deleteImportProfile(imports, actor, key);
      return { deletedId: encodeGlobalID('ImportProfile', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted profile.' }),
    }),
  },
);
