import type { TypedDocumentNode } from 'urql';
import { graphql, type ResultOf } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const AttributeRow = graphql(`
  fragment AttributeRow on Attribute {
    id
    code
    label
    target
    type
    required
    options
    updatedAt
  }
`);

export const Attributes = graphql(
  `
    query Attributes($first: Int, $after: String) {
      attributes(first: $first, after: $after) {
        edges {
          node {
            ...AttributeRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [AttributeRow],
);

const AttributeObject = graphql(
  `
    fragment AttributeObject on Attribute {
      ...AttributeRow
      createdAt
      viewerCan {
        update
        delete
      }
    }
  `,
  [AttributeRow],
);

const AttributeNode = graphql(
  `
    query AttributePage($id: ID!) {
      node(id: $id) {
        ...AttributeObject
      }
    }
  `,
  [AttributeObject],
);

/** The id of an attribute leads to nothing else. */
export const AttributePage = AttributeNode as unknown as TypedDocumentNode<
  { node: ResultOf<typeof AttributeObject> | null },
  { id: string }
>;

export const CreateAttribute = graphql(
  `
    mutation CreateAttribute($input: CreateAttributeInput!) {
      createAttribute(input: $input) {
        ... on CreateAttributePayload {
          attribute {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateAttribute = graphql(
  `
    mutation UpdateAttribute($input: UpdateAttributeInput!) {
      updateAttribute(input: $input) {
        ... on UpdateAttributePayload {
          attribute {
            ...AttributeRow
          }
        }
        ...Refusal
      }
    }
  `,
  [AttributeRow, Refusal],
);

export const DeleteAttribute = graphql(
  `
    mutation DeleteAttribute($input: DeleteAttributeInput!) {
      deleteAttribute(input: $input) {
        ... on DeleteAttributePayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
