import { graphql } from '#console/graph/graphql.ts';

export const EditorTemplates = graphql(`
  query EditorTemplates {
    templates(first: 50, orderBy: { field: NAME, direction: ASC }) { edges { node { id slug name description } } }
  }
`);

export const EditorTemplate = graphql(`
  query EditorTemplate($slug: String!) {
    template(slug: $slug) {
      id slug name description version blob
      placeholders { key label kind help required default credentialTypes }
    }
  }
`);

export const TemplateCredentials = graphql(`
  query TemplateCredentials { credentials(first: 100) { edges { node { id databaseId name credentialTypeSlug } } } }
`);
