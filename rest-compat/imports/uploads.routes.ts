import { inputBody } from '#rest/bodies.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { createUploadInput } from '#src/imports/uploads/uploads.inputs.ts';
import { importTag } from './import-parts.ts';

export const uploadRoutes = [
  route({
    method: 'POST',
    path: '/io/uploads',
    name: 'createUpload',
    tag: importTag,
    summary: 'Announces a file, and answers the signed address that it is sent to.',
    document: `mutation ($input: CreateUploadInput!) {
      createUpload(input: $input) {
        ... on CreateUploadPayload { target { upload_id: uploadId url method headers expires_at: expiresAt } }
        ...Failure
      }
    }`,
    body: inputBody(createUploadInput),
    variables: ({ body }) => ({ input: body }),
    reply: one({ status: 201, at: 'target' }),
    example: { body: { filename: 'stock.csv', content_type: 'text/csv', size: 2_048 } },
  }),
];
