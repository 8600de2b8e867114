import { builder } from '#src/graphql/builder.ts';
import { publishedSchemas, type PublishedSchema } from './published-schemas.ts';

const JsonSchemaRef = builder.objectRef<PublishedSchema>('JsonSchema').implement({
  description: 'A published JSON Schema (2020-12) of a document that this API takes.',
  fields: (t) => ({
    name: t.exposeString('name'),
    version: t.exposeString('version'),
    schema: t.expose('schema', { type: 'JSON' }),
  }),
});

builder.queryFields((t) => ({
  schemas: t.field({ type: [JsonSchemaRef], skipTypeScopes: true, resolve: () => [...publishedSchemas] }),
  schema: t.field({
    type: JsonSchemaRef,
    nullable: true,
    skipTypeScopes: true,
    args: { name: t.arg.string({ required: true }), version: t.arg.string({ required: true }) },
    resolve: (_root, given) =>
      publishedSchemas.find(({ name, version }) => name === given.name && version === given.version) ?? null,
  }),
}));
