import { z } from 'zod';
import { inputBody } from '#rest/bodies.ts';
import { nothing, one, type Reply } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { resolveNodeConfigInput, testNodeInput } from '#src/automation/nodes/node-calls.inputs.ts';

const tag = { name: 'Nodes', description: 'The catalogue of nodes that workflows may use.' };

const nodeFields = `fragment Node on NodeDefinition {
  name namespace slug version package { name version label } manifest_version: manifestVersion manifest
  created_at: createdAt updated_at: updatedAt
}`;

const texts = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

/** An error that the node threw has the same status as invalid input. */
const threw: Reply['others'] = {
  422: {
    description: 'The given data was invalid, or the node threw.',
    schema: {
      anyOf: [
        { $ref: '#/components/schemas/ValidationError' },
        {
          type: 'object',
          properties: { error: texts('message', 'code'), logs: { type: 'array', items: texts('level', 'message') } },
          required: ['error', 'logs'],
        },
      ],
    },
  },
};

export const nodeRoutes = [
  route({
    method: 'GET',
    path: '/nodes',
    name: 'listNodes',
    tag,
    summary: 'The node catalogue: by slug, newest version first.',
    document: `query ($namespace: String, $first: Int, $after: String) {
        nodes(filter: { namespace: $namespace }, first: $first, after: $after) {
          edges { node { ...Node } } pageInfo { hasNextPage endCursor }
        }
      } ${nodeFields}`,
    query: z.object({ namespace: z.string().max(128).optional() }),
    variables: ({ query }) => query,
    streamedList: {},
  }),
  route({
    method: 'GET',
    path: '/nodes/{slug}/versions',
    name: 'listNodeVersions',
    tag,
    summary: "A node's versions, highest first.",
    document: `query ($slug: String!, $first: Int, $after: String) {
        nodeVersions(slug: $slug, first: $first, after: $after) {
          edges { node { version } } pageInfo { hasNextPage endCursor }
        }
      }`,
    variables: ({ params }) => params,
    streamedList: { of: 'version' },
  }),
  route({
    method: 'GET',
    path: '/nodes/{slug}/{version}',
    name: 'getNode',
    tag,
    summary: 'A node by slug and version, which may be `latest`.',
    document: `query ($slug: String!, $version: String!) {
        nodeDefinition(slug: $slug, version: $version) { ...Node }
      } ${nodeFields}`,
    variables: ({ params }) => params,
    reply: one(),
  }),
  route({
    method: 'DELETE',
    path: '/nodes/{slug}/{version}',
    name: 'deleteNode',
    tag,
    summary: 'Takes one exact version out of the catalogue. A built-in node stays: 409.',
    document: `mutation ($input: DeleteNodeInput!) {
        deleteNode(input: $input) { ... on DeleteNodePayload { slug } ...Failure }
      }`,
    variables: ({ params }) => ({ input: params }),
    reply: nothing,
    refuses: ['BAD_REQUEST', 'CONFLICT'],
  }),
  route({
    method: 'POST',
    path: '/nodes/{slug}/{version}/config:resolve',
    name: 'resolveNodeConfig',
    tag,
    summary: "What depends on the config so far: a field's options, the outputs.",
    document: `mutation ($input: ResolveNodeConfigInput!) {
        resolveNodeConfig(input: $input) { ... on ResolveNodeConfigPayload { fields outputs } ...Failure }
      }`,
    body: inputBody(resolveNodeConfigInput),
    variables: ({ params, body }) => ({ input: { ...body, ...params } }),
    reply: one(),
    refuses: ['CONFLICT', 'RUNTIME_FAILED'],
    example: { body: { target: '*', config: {} } },
  }),
  route({
    method: 'POST',
    path: '/nodes/{slug}/{version}/execute:test',
    name: 'testNode',
    tag,
    summary: 'Runs a node once, outside of any run. A node that throws answers 422 with `error` and `logs`.',
    document: `mutation ($input: TestNodeInput!) {
        testNode(input: $input) {
          ... on TestNodePayload { outputs branch logs { level message } }
          ... on NodeThrewError { thrown: error { message code } logs { level message } }
          ...Failure
        }
      }`,
    body: inputBody(
      testNodeInput.extend({
        workflowId: z.int().min(0).nullish().describe("Grants reading that workflow's declared state namespaces."),
      }),
    ),
    variables: ({ params, body }) => ({
      // GraphQL's Int ends at 2^31, so a larger value is reduced to the maximum here.
      input: { ...params, ...body, timeoutMs: body.timeoutMs && Math.min(body.timeoutMs, 30_000) },
    }),
    reply: { ...one(), others: threw },
    refuses: ['CONFLICT', 'RUNTIME_FAILED'],
    example: { body: { config: {}, inputs: {} } },
  }),
];
