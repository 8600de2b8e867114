import type { Upload } from '#prisma/client.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { createUploadInput } from './uploads.inputs.ts';
import { createUpload } from './uploads.service.ts';

const UploadRef = builder.prismaNode('Upload', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Upload', id) }),
  // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
  extensions: nodeAccess({ member: true, scope: 'io:read' }),
  description: 'A file that is sent to a signed address of its own. One that nobody imports is deleted after a day.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    filename: t.exposeString('filename', { description: 'For people.' }),
    contentType: t.exposeString('contentType', { description: 'The media type.' }),
    size: t.expose('size', { type: 'Long', nullable: true, description: 'Bytes that were announced.' }),
    isReceived: t.boolean({
      description: 'Whether the file has come.',
      select: { storageKey: true },
      resolve: ({ storageKey }) => storageKey !== null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

/** An upload with its address, which is shown only once. */
interface Announced {
  upload: Upload;
  link: { url: string; expiresAt: Date };
}

const UploadTarget = builder.objectRef<Announced>('UploadTarget').implement({
  description:
    'Where and how to send the file of an upload. The address is good for one file and needs no other permission.',
  fields: (t) => ({
    uploadId: t.field({ type: 'Long', description: 'The id that REST uses.', resolve: ({ upload }) => upload.id }),
    url: t.string({ description: 'The address.', resolve: ({ link }) => link.url }),
    method: t.string({ description: 'The HTTP method, `PUT`.', resolve: () => 'PUT' }),
    headers: t.field({
      type: 'JSON',
      description: 'Headers to send, by name.',
      resolve: ({ upload }) => ({ 'content-type': upload.contentType }),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the address ends. Sending has to begin before.',
      resolve: ({ link }) => link.expiresAt,
    }),
  }),
});

builder.relayMutationField(
  'createUpload',
  mutationInput(createUploadInput),
  {
    description: 'Announces a file. It is then sent to the address of the answer, and imported with `startImport`.',
    authScopes: { admin: true, scope: 'io:write' },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { actor, tenantId, imports } = inTenant(context);
      const upload = await createUpload(imports, actor, input);
      return { announced: { upload, link: imports.uploadLinks.sign(tenantId, upload.id) } };
    },
  },
  {
    outputFields: (t) => ({
      upload: t.field({ type: UploadRef, resolve: ({ announced }) => announced.upload }),
      target: t.field({ type: UploadTarget, resolve: ({ announced }) => announced }),
    }),
  },
);
