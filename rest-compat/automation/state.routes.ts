import { z } from 'zod';
import { inputBody } from '#rest/bodies.ts';
import { cursorSize } from '#rest/parameters.ts';
import { cursorFeed, madeOrFound, nothing, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { putEntryInput } from '#src/automation/state/state.inputs.ts';

const tag = { name: 'State Store', description: 'What workflows remember between runs.' };

const entryFields = `fragment StateEntry on StateEntry {
  key value version expires_at: expiresAt updated_at: updatedAt
}`;

export const stateRoutes = [
  route({
    method: 'GET',
    path: '/state/namespaces',
    name: 'listStateNamespaces',
    tag,
    summary: 'The namespaces of the state store, by name.',
    document: `query ($first: Int, $after: String) {
        stateNamespaces(first: $first, after: $after) {
          edges { node { namespace entries bytes updated_at: updatedAt } } pageInfo { hasNextPage endCursor }
        }
      }`,
    streamedList: {},
  }),
  route({
    method: 'GET',
    path: '/state/{ns}/entries',
    name: 'listStateEntries',
    tag,
    summary: "A namespace's entries, in the order of their keys' bytes.",
    document: `query ($namespace: String!, $prefix: String, $first: Int, $cursor: String) {
        stateEntries(namespace: $namespace, prefix: $prefix, first: $first, cursor: $cursor) {
          edges { node { ...StateEntry } } next_cursor: nextCursor prev_cursor: prevCursor
        }
      } ${entryFields}`,
    query: z.object({
      prefix: z.string().optional().describe('What the keys begin with.'),
      limit: cursorSize,
      cursor: z.string().optional().describe("A page's next_cursor or prev_cursor, with the same prefix."),
    }),
    variables: ({ params, query: { prefix, limit, cursor } }) => ({
      namespace: params.ns,
      prefix,
      first: limit,
      cursor,
    }),
    reply: cursorFeed,
  }),
  route({
    method: 'GET',
    path: '/state/{ns}/entries/{key}',
    name: 'getStateEntry',
    tag,
    summary: 'An entry. Its key is percent-encoded, slashes included.',
    document: `query ($namespace: String!, $key: String!) {
        stateEntry(namespace: $namespace, key: $key) { ...StateEntry }
      } ${entryFields}`,
    variables: ({ params }) => ({ namespace: params.ns, key: params.key }),
    reply: one(),
  }),
  route({
    method: 'PUT',
    path: '/state/{ns}/entries/{key}',
    name: 'putStateEntry',
    tag,
    summary: 'Corrects an entry (200), or makes one (201). A stale `version` answers 409 and writes nothing.',
    document: `mutation ($input: PutStateEntryInput!) {
        putStateEntry(input: $input) { ... on PutStateEntryPayload { made entry { ...StateEntry } } ...Failure }
      } ${entryFields}`,
    body: inputBody(putEntryInput),
    variables: ({ params, body }) => ({ input: { ...body, namespace: params.ns, key: params.key } }),
    reply: madeOrFound({ at: 'entry', by: 'made' }),
    refuses: ['CONFLICT'],
    example: { body: { value: { last_order: 10_001 }, version: 3 } },
  }),
  route({
    method: 'DELETE',
    path: '/state/{ns}/entries/{key}',
    name: 'deleteStateEntry',
    tag,
    summary: 'Deletes an entry.',
    document: `mutation ($namespace: String!, $key: String!) {
        deleteStateEntry(input: { namespace: $namespace, key: $key }) {
          ... on DeleteStateEntryPayload { deletedKey }
          ...Failure
        }
      }`,
    variables: ({ params }) => ({ namespace: params.ns, key: params.key }),
    reply: nothing,
  }),
];
