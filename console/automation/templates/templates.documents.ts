import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const TemplateRow = graphql(`
  fragment TemplateRow on WorkflowTemplate {
    id
    slug
    name
    description
    version
    package {
      name
      label
      version
    }
    placeholders {
      key
      label
      kind
      help
      required
      default
      credentialTypes
    }
    viewerCan {
      instantiate
    }
  }
`);

export const Templates = graphql(
  `
    query Templates($first: Int, $after: String, $filter: WorkflowTemplateFilter) {
      templates(first: $first, after: $after, filter: $filter) {
        edges {
          node {
            ...TemplateRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [TemplateRow],
);

/** The address names a template by its slug, because the graph reads one by that. */
export const TemplatePage = graphql(
  `
    query TemplatePage($slug: String!) {
      template(slug: $slug) {
        ...TemplateRow
        blob
      }
    }
  `,
  [TemplateRow],
);

export const InstantiateTemplate = graphql(
  `
    mutation InstantiateTemplate($input: InstantiateTemplateInput!) {
      instantiateTemplate(input: $input) {
        ... on InstantiateTemplatePayload {
          workflow {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
