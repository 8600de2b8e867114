import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import type { ImportColumn, ImportTarget } from './target.ts';

interface Field {
  column: ImportColumn;
  isKey: boolean;
}

const FieldRef = builder.objectRef<Field>('ImportTargetField').implement({
  description: 'A field that files fill.',
  fields: (t) => ({
    name: t.string({ description: 'As profiles name it: `quantity_from`.', resolve: ({ column }) => column.name }),
    isRequired: t.boolean({
      description: 'Whether every row needs it.',
      resolve: ({ column }) => column.required === true,
    }),
    isKey: t.exposeBoolean('isKey', { description: 'Whether it tells records apart.' }),
    default: t.string({
      nullable: true,
      description: 'Used where a row has no value; null: none.',
      resolve: ({ column }) => column.byDefault ?? null,
    }),
  }),
});

const TargetRef = builder.objectRef<ImportTarget>('ImportTarget').implement({
  description: 'Records that files can be imported into.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As profiles name it: `stock`.' }),
    fields: t.field({
      type: [FieldRef],
      description: 'What a row may say of a record.',
      resolve: ({ columns, key }) =>
        columns({ mode: 'full' }).map((column) => ({ column, isKey: key.includes(column.name) })),
    }),
  }),
});

builder.queryField('importTargets', (t) =>
  t.field({
    type: [TargetRef],
    authScopes: { member: true, scope: 'io:read' },
    complexity: 10,
    description:
      'What files can be imported into, with the fields that they fill. The list is the same for every tenant.',
    resolve: (_root, _args, context) => [...inTenant(context).imports.targets.values()],
  }),
);
