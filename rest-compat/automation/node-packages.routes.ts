import { upload } from '#rest/bodies.ts';
import { madeOrFound } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

export const nodePackagesTag = {
  name: 'Node Packages',
  description: 'Packages of nodes, credential types and templates, and their images.',
};

export const nodePackageRoutes = [
  route({
    method: 'POST',
    path: '/admin/orgs/{org_id}/node-packages',
    name: 'uploadNodePackage',
    tag: nodePackagesTag,
    summary:
      'Registers an npm-pack archive. The same bytes again answer 200 and bring back nodes deleted since; other bytes under the same version 409.',
    document: `mutation ($input: UploadNodePackageInput!) {
        uploadNodePackage(input: $input) {
          ... on UploadNodePackagePayload {
            created
            nodePackage {
              name version label
              nodes { slug version name }
              credential_types: credentialTypes { slug version name }
              templates { slug version name }
              images { path content_type: contentType size }
              build { status errors { slug message file line } }
            }
          }
          ...Failure
        }
      }`,
    body: upload('package', 'application/gzip'),
    variables: ({ params, body }) => ({ input: { orgId: params.org_id, archive: body } }),
    reply: madeOrFound({ at: 'nodePackage', by: 'created' }),
    refuses: ['CONFLICT'],
  }),
];
