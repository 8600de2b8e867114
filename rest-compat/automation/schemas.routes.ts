import { data, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

const tag = { name: 'Schemas', description: 'The JSON Schemas of documents that this API takes.' };

export const schemaRoutes = [
  route({
    method: 'GET',
    path: '/schemas',
    name: 'listSchemas',
    tag,
    summary: 'The published JSON Schemas, by name.',
    document: 'query { schemas { name version } }',
    reply: data(),
  }),
  route({
    method: 'GET',
    path: '/schemas/{name}/{version}',
    name: 'getSchema',
    tag,
    summary: 'A JSON Schema (2020-12), itself.',
    document: 'query ($name: String!, $version: String!) { schema(name: $name, version: $version) { schema } }',
    variables: ({ params }) => params,
    reply: one({ at: 'schema' }),
  }),
];
