import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const TemplateRow = graphql(`
  fragment TemplateRow on WorkflowTemplate {
    id slug name description version
    package { name label version }
    placeholders { key label kind help required default credentialTypes }
    viewerCan { instantiate }
  }
`);

export const Templates = rows('templates', TemplateRow);

/** The address names a template by its slug, because the graph reads one by that. */
export const TemplatePage = graphql(
  `
  query TemplatePage($slug: String!) {
    template(slug: $slug) { ...TemplateRow blob }
  }
`,
  [TemplateRow],
);

export const InstantiateTemplate = mutation('instantiateTemplate', 'workflow { id }');
