import { builder } from '#src/graphql/builder.ts';
import type { PublishedSchema } from '#src/infra/json-schema/published-schema.ts';

const JsonSchemaRef = builder.objectRef<PublishedSchema>('JsonSchema').implement({
  description: 'A published JSON Schema (2020-12) of a document that this API takes.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'E.g. `workflow-blob`.' }),
    version: t.exposeString('version', { description: 'E.g. `v1`.' }),
    schema: t.expose('schema', { type: 'JSON', description: 'The schema itself.' }),
  }),
});

builder.queryFields((t) => ({
  schemas: t.field({
    type: [JsonSchemaRef],
    description: 'The JSON Schemas that this API publishes.',
    skipTypeScopes: true,
    resolve: (_root, _args, { publishedSchemas }) => [...publishedSchemas],
  }),
  schema: t.field({
    type: JsonSchemaRef,
    description: 'One published JSON Schema.',
    nullable: true,
    skipTypeScopes: true,
    args: {
      name: t.arg.string({ description: 'E.g. `workflow-blob`.', required: true }),
      version: t.arg.string({ description: 'E.g. `v1`.', required: true }),
    },
    resolve: (_root, given, { publishedSchemas }) =>
      publishedSchemas.find(({ name, version }) => name === given.name && version === given.version) ?? null,
  }),
}));
