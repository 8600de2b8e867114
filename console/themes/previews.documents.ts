import { graphql } from '#console/graph/graphql.ts';

export const PreviewBlock = graphql(`
  query PreviewBlock($extensionId: ID!, $block: String!, $props: JSON) {
    previewBlock(extensionId: $extensionId, block: $block, props: $props) { html status reason why stylesheet }
  }
`);
