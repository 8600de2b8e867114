import { inputBody } from '#rest/bodies.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { instantiateTemplateInput } from '#src/automation/templates/templates.inputs.ts';
import { workflowFields } from './workflows.routes.ts';

const tag = { name: 'Templates', description: 'Workflows with open places, to be made into workflows.' };

const rowFields = `slug version name description icon images { src alt title category }
  placeholders { key kind label help required default credential_types: credentialTypes }
  package { name version label }`;

export const templateRoutes = [
  route({
    method: 'GET',
    path: '/templates',
    name: 'listTemplates',
    tag,
    summary: 'The templates of all node packages by slug, each in its latest version, without their blobs.',
    document: `query ($first: Int, $after: String) {
        templates(first: $first, after: $after) {
          edges { node { ...TemplateRow } } pageInfo { hasNextPage endCursor }
        }
      } fragment TemplateRow on WorkflowTemplate { ${rowFields} }`,
    streamedList: {},
  }),
  route({
    method: 'GET',
    path: '/templates/{slug}',
    name: 'getTemplate',
    tag,
    summary: 'A template in its latest version.',
    document: `query ($slug: String!) { template(slug: $slug) { ...Template } }
      fragment Template on WorkflowTemplate { ${rowFields} blob }`,
    variables: ({ params }) => params,
    reply: one(),
  }),
  route({
    method: 'POST',
    path: '/templates/{slug}/instantiate',
    name: 'instantiateTemplate',
    tag,
    summary: 'Makes a template into a workflow. What must be filled and is not answers 422, each placeholder named.',
    document: `mutation ($input: InstantiateTemplateInput!) {
        instantiateTemplate(input: $input) {
          ... on InstantiateTemplatePayload { workflow { ...Workflow } }
          ...Failure
        }
      } ${workflowFields}`,
    body: inputBody(instantiateTemplateInput),
    variables: ({ params, body }) => ({ input: { ...body, ...params } }),
    reply: one({ status: 201, at: 'workflow' }),
    example: { body: { name: 'Orders to ERP', values: { base_url: 'https://erp.example.com' } } },
  }),
];
