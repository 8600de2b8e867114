import { data } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

const tag = {
  name: 'Credential Types',
  description: 'What credentials of each kind hold, as node packages registered it.',
};

const typeFields = `fragment CredentialType on CredentialType {
  slug version name description icon images { src alt title category } auth_kind: authKind fields
}`;

export const credentialTypeRoutes = [
  route({
    method: 'GET',
    path: '/credential-types',
    name: 'listCredentialTypes',
    tag,
    summary: 'The latest version of every credential type, by slug.',
    document: `query ($first: Int, $after: String) {
        credentialTypes(first: $first, after: $after) {
          edges { node { ...CredentialType } } pageInfo { hasNextPage endCursor }
        }
      } ${typeFields}`,
    streamedList: {},
  }),
  route({
    method: 'GET',
    path: '/credential-types/{slug}',
    name: 'getCredentialType',
    tag,
    summary: 'The latest version of a credential type.',
    document: `query ($slug: String!) { credentialType(slug: $slug) { ...CredentialType } } ${typeFields}`,
    variables: ({ params }) => params,
    reply: data(),
  }),
];
