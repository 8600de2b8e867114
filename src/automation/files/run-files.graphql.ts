import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { findReference } from './run-files.service.ts';

const RunFile = builder.objectRef<FileReference & { tenantId: string }>('RunFile').implement({
  description: 'A file that a step of a run made or received. It expires with the runs that made and read it.',
  fields: (t) => ({
    file: t.exposeString('file', { description: 'The id, as the reference in the outputs has it.' }),
    name: t.exposeString('name', { description: 'For people; safe to save under.' }),
    type: t.exposeString('type', { description: 'The media type, as its sender stated it.' }),
    size: t.expose('size', { type: 'Long', description: 'Bytes.' }),
    sha256: t.exposeString('sha256', { description: 'The hash of its bytes, in hex.' }),
    url: t.string({
      description: 'The URL to download it without a token, valid for an hour.',
      resolve: ({ tenantId, file }, _args, { automation }) => automation.fileLinks.sign(tenantId, file).url,
    }),
  }),
});

builder.queryFields((t) => ({
  runFile: t.field({
    type: RunFile,
    nullable: true,
    authScopes: { member: true },
    description: 'The file that a reference in the outputs of a step names; null if it has expired.',
    args: { file: t.arg.string({ required: true, description: 'The member `file` of the reference.' }) },
    resolve: async (_root, { file }, context) => {
      const { deps, tenantId } = inTenant(context);
      const found = await findReference(deps, tenantId, file);
      return found ? { ...found, tenantId } : null;
    },
  }),
}));
