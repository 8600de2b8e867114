import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { enumOf, FileFormatEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { connectionOf } from '#src/graphql/paging/connection-types.ts';
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
  mappingOf,
  namespacesOf,
  updateImportProfile,
} from './profiles.service.ts';

const reads = { member: true, scope: 'io:read' } as const;
const writes = { admin: true, scope: 'io:write' } as const;

const Basis = enumOf('QuantityBasis', quantityBases, {
  description: 'What quantities of a full stock file are.',
  values: { physical: 'What is on hand.', available: 'What is on hand less what is reserved.' },
});
const Mode = enumOf('ImportMode', modes, {
  description: 'What rows state.',
  values: { full: 'What is.', delta: 'What changes.' },
});
const Absent = enumOf('ImportAbsence', absences, {
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
      resolve: (profile) => mappingOf(profile),
    }),
    recordPath: t.exposeString('recordPath', { nullable: true, description: 'Where records are in JSON and XML.' }),
    namespaces: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Namespaces of XML by the prefixes of the profile; null: names are as the file writes them.',
      select: { namespaces: true },
      resolve: (profile) => namespacesOf(profile),
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
          idOf: ({ id }) => String(id),
        });
      },
    },
    connectionOf(ProfileRef),
  ),
}));

builder.relayMutationField(
  'createImportProfile',
  {
    inputFields: (t) => ({
      name: t.string({ description: 'Unique in the tenant, 1 to 191 characters.', required: true }),
      target: t.string({ description: 'What is imported: `stock`, `products`.', required: true }),
      format: t.field({ type: FileFormatEnum, description: 'What the file is written in.', required: true }),
      mapping: t.field({
        type: 'JSON',
        description:
          'By field: `"column"`, `{column, default?, transforms?}`, `{columns, separator?}`, `{columns, expression}` or `{value}`. Left out: columns are named as fields.',
      }),
      recordPath: t.string({ description: 'Where records are in JSON and XML; left out: in the root.' }),
      namespaces: t.field({
        type: 'JSON',
        description:
          'Namespaces of XML by the prefixes that `recordPath` and `mapping` use, `""` for names without one; left out: names are as the file writes them.',
      }),
      sheet: t.string({ description: 'The sheet of a workbook; left out: its first.' }),
      delimiter: t.string({ description: 'What separates the cells of CSV; left out: a comma.' }),
      quote: t.string({ description: 'What stands around cells of CSV; left out: `"`. Empty: quotes are text.' }),
      header: t.boolean({
        description:
          'Whether the first row of CSV and workbooks names the columns; left out: true. Else they are named `1`, `2` and so on.',
      }),
      skipLines: t.int({
        description: 'Lines of CSV, or rows of a sheet, before the header; up to 1000, left out: 0.',
      }),
      encoding: t.string({
        description:
          '`utf-8` where left out, `utf-16le`, `utf-16be`, `windows-1252`, `iso-8859-15`, `cp850` or `macintosh`.',
      }),
      decimalSeparator: t.string({ description: '`.` where left out, or `,`.' }),
      quantityBasis: t.field({ type: Basis, description: 'Left out: `PHYSICAL`.' }),
      mode: t.field({ type: Mode, description: 'Left out: `FULL`.' }),
      absent: t.field({ type: Absent, description: 'Left out: `KEEP`.' }),
      asOf: t.field({ type: 'DateTime', description: 'The moment that stock is counted at; left out: now.' }),
      maxRejected: t.string({
        description:
          'A file that rejects more rows is refused as a whole: a number such as `100`, or a share such as `2.5%`; left out: any number.',
      }),
    }),
  },
  {
    extensions: takes(createImportProfileInput),
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
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string({ description: '1 to 191 characters; null leaves it as it is.' }),
      target: t.string({ description: 'Null leaves it as it is.' }),
      format: t.field({ type: FileFormatEnum, description: 'Null leaves it as it is.' }),
      mapping: t.field({ type: 'JSON', description: 'Null: columns are named as fields; left out, it stays.' }),
      recordPath: t.string({ description: 'Null clears it; left out, it stays.' }),
      namespaces: t.field({ type: 'JSON', description: 'Null clears them; left out, they stay.' }),
      sheet: t.string({ description: 'Null clears it; left out, it stays.' }),
      delimiter: t.string({ description: 'Null leaves it as it is.' }),
      quote: t.string({ description: 'Null leaves it as it is.' }),
      header: t.boolean({ description: 'Null leaves it as it is.' }),
      skipLines: t.int({ description: 'Null leaves it as it is.' }),
      encoding: t.string({ description: 'Null leaves it as it is.' }),
      decimalSeparator: t.string({ description: 'Null leaves it as it is.' }),
      quantityBasis: t.field({ type: Basis, description: 'Null leaves it as it is.' }),
      mode: t.field({ type: Mode, description: 'Null leaves it as it is.' }),
      absent: t.field({ type: Absent, description: 'Null leaves it as it is.' }),
      asOf: t.field({ type: 'DateTime', description: 'Null: now; left out, it stays.' }),
      maxRejected: t.string({ description: 'Null: any number; left out, it stays.' }),
    }),
  },
  {
    extensions: takes(updateImportProfileInput, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
