import type { TypedDocumentNode } from 'urql';
import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql, type ResultOf } from '#console/graph/graphql.ts';

export const AttributeRow = graphql(`
  fragment AttributeRow on Attribute {
    id code label target type required options updatedAt
  }
`);

export const Attributes = rows('attributes', AttributeRow);

const AttributeObject = graphql(
  `
  fragment AttributeObject on Attribute {
    ...AttributeRow createdAt
    viewerCan { update delete }
  }
`,
  [AttributeRow],
);

const AttributeNode = page('node', AttributeObject);

/** The id of an attribute leads to nothing else. */
export const AttributePage = AttributeNode as unknown as TypedDocumentNode<
  { node: ResultOf<typeof AttributeObject> | null },
  { id: string }
>;

export const CreateAttribute = mutation('createAttribute', 'attribute { id }');

export const UpdateAttribute = mutation('updateAttribute', 'attribute { ...AttributeRow }', [AttributeRow]);

export const DeleteAttribute = mutation('deleteAttribute', 'deletedId');
