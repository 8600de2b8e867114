import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { FileFormatEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { proposalInput } from './profiles.inputs.ts';
import { type Proposal, proposeProfile } from './proposal.service.ts';

const ProposalRef = builder.objectRef<Proposal>('ImportProposal').implement({
  description: 'What an import profile for a file may say.',
  fields: (t) => ({
    format: t.expose('format', { type: FileFormatEnum, description: 'What the file is written in.' }),
    delimiter: t.exposeString('delimiter', { description: 'What separates the cells of CSV.' }),
    encoding: t.exposeString('encoding', { description: 'Of the text of CSV and XML.' }),
    decimalSeparator: t.exposeString('decimalSeparator', { description: '`.` or `,`.' }),
    header: t.exposeBoolean('header', { description: 'Whether the first row of CSV names the columns.' }),
    skipLines: t.exposeInt('skipLines', { description: 'Lines of CSV before the header or the first record.' }),
    columns: t.exposeStringList('columns', {
      description:
        'As the header of CSV, or the first record of NDJSON, names them; by number where there is no header.',
    }),
    mapping: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The columns that are named as fields of the target; null where no target was given.',
      resolve: ({ mapping }) => mapping,
    }),
  }),
});

builder.relayMutationField(
  'proposeImportProfile',
  mutationInput(proposalInput),
  {
    description:
      'Looks at the beginning of an uploaded file and says what a profile for it may be, and writes nothing.',
    authScopes: { admin: true, scope: 'io:write' },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { imports, tenantId } = inTenant(context);
      return { proposal: await proposeProfile(imports, tenantId, input) };
    },
  },
  { outputFields: (t) => ({ proposal: t.field({ type: ProposalRef, resolve: ({ proposal }) => proposal }) }) },
);
