import { data, list } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

const tag = 'Credential Types';

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
    document: `query { credentialTypes(first: 1000) { edges { node { ...CredentialType } } } } ${typeFields}`,
    reply: list,
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
