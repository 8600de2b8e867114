import type { SkippedOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import type { Connector } from '#src/automation/connectors/packages/package-files.ts';
import type { DescribedApi, DescribedOperation } from '#src/automation/connectors/reading/describe-order.ts';
import { builder } from '#src/graphql/builder.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { type idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { createNodePackageInput, describeApiInput } from './api-packages.inputs.ts';
import { createNodePackage, describeApi, otherApiWarning } from './api-packages.service.ts';

/** The most operations that one answer lists. For a larger API, the caller narrows the list with `choose`. */
export const maxOperations = 2_000;
const maxTags = 500;

const SkippedRef = builder.objectRef<SkippedOperation>('SkippedOperation').implement({
  description: 'An operation of a description that cannot become a node.',
  fields: (t) => ({
    operation: t.exposeString('operation', { description: '`POST /orders`, or its name in the description.' }),
    reason: t.exposeString('reason', { description: 'Why, as a sentence.' }),
  }),
});

const OperationRef = builder.objectRef<DescribedOperation>('DescribedOperation').implement({
  description: 'An operation of a described API.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "Unique in the description; the node's slug after the namespace." }),
    method: t.exposeString('method', { description: 'The HTTP method, in capitals.' }),
    path: t.exposeString('path', { description: 'Parameters are in braces: `/orders/{id}`.' }),
    title: t.exposeString('title', { description: 'A few words for people.' }),
    summary: t.exposeString('summary', { description: 'A sentence or two; may be empty.' }),
    tags: t.exposeStringList('tags', { description: 'The groups that the description puts it in.' }),
    isDeprecated: t.exposeBoolean('deprecated', { description: 'Whether the API advises against it.' }),
    reason: t.string({
      nullable: true,
      description: 'Why it cannot become a node; null where it can.',
      resolve: ({ reason }) => reason ?? null,
    }),
  }),
});

const TagRef = builder.objectRef<{ name: string; count: number }>('DescribedTag').implement({
  description: 'A group of operations in a description.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As the description writes it.' }),
    count: t.exposeInt('count', { description: 'How many of the operations have it.' }),
  }),
});

const TypeRef = builder.objectRef<DescribedApi['credentialTypes'][number]>('DescribedCredentialType').implement({
  description: 'A credential type that a package of the API brings.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'With the default namespace.' }),
    name: t.exposeString('name', { description: 'For people.' }),
  }),
});

export const ApiRef = builder.objectRef<DescribedApi>('DescribedApi').implement({
  description: 'What a description of an API holds.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: '`openapi`, `postman`, `odata`, `graphql` or another kind.' }),
    title: t.exposeString('title', { description: 'The name of the API.' }),
    version: t.exposeString('version', { description: 'The version of the API; may be empty.' }),
    hash: t.exposeString('hash', { description: 'SHA-256 of the description, hexadecimal.' }),
    namespace: t.exposeString('namespace', { description: 'The namespace that a package of it gets by default.' }),
    servers: t.stringList({
      description: 'The addresses of the API; empty where the description names none.',
      resolve: ({ servers }) => servers.slice(0, 50),
    }),
    credentialTypes: t.expose('credentialTypes', {
      type: [TypeRef],
      description: 'How requests authenticate: one type for each way.',
    }),
    operationCount: t.int({
      description: 'How many operations the list would have without a limit.',
      resolve: ({ operations }) => operations.length,
    }),
    operations: t.field({
      type: [OperationRef],
      description: `In the order of the description, at most ${maxOperations}.`,
      resolve: ({ operations }) => operations.slice(0, maxOperations),
    }),
    tags: t.field({
      type: [TagRef],
      description: `The tags of the operations, at most ${maxTags}.`,
      resolve: ({ operations }) => {
        const counts = new Map<string, number>();
        for (const tag of operations.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
        return [...counts].slice(0, maxTags).map(([name, count]) => ({ name, count }));
      },
    }),
    skipped: t.field({
      type: [SkippedRef],
      description: `Operations that could not be read, at most ${maxOperations}.`,
      resolve: ({ skipped }) => skipped.slice(0, maxOperations),
    }),
  }),
});

export const SourceRef = builder.objectRef<Connector['description']>('DescriptionSource').implement({
  description: 'The description that a package was made from.',
  fields: (t) => ({
    title: t.exposeString('title', { description: 'The name of the API.' }),
    version: t.exposeString('version', { description: 'The version of the API; may be empty.' }),
    source: t.exposeString('source', { description: 'The name of the file, or the URL without its query.' }),
    hash: t.exposeString('hash', { description: 'SHA-256 of the description, hexadecimal.' }),
  }),
});

export const ownerInput = (t: Parameters<typeof idField>[0]) => ({
  orgId: t.string({
    required: true,
    description: 'The slug of the organisation that publishes the package, and owns its namespace.',
  }),
});

builder.relayMutationField(
  'describeApi',
  mutationInput(describeApiInput),
  {
    description: 'Reads a description of an API and lists its operations. Nothing is stored.',
    authScopes: { operator: true },
    errors: errorTypes,
    complexity: 100,
    resolve: async (_root, { input }, context) => ({
      api: await describeApi(context.automation, context.tenant?.id ?? null, input),
    }),
  },
  { outputFields: (t) => ({ api: t.field({ type: ApiRef, resolve: ({ api }) => api }) }) },
);

builder.relayMutationField(
  'createNodePackage',
  mutationInput(createNodePackageInput, ownerInput),
  {
    description:
      'Makes a package of nodes from a description of an API and registers it for every tenant, as `causeway node from` and `causeway node publish` do. A package of the name is made again: nodes that did not change keep their versions, and workflows stay on theirs.',
    authScopes: { operator: true },
    errors: errorTypes,
    complexity: 100,
    resolve: (_root, { input }, context) => createNodePackage(context.automation, context.tenant?.id ?? null, input),
  },
  {
    outputFields: (t) => ({
      nodePackage: t.field({ type: 'RegisteredNodePackage', resolve: ({ registered }) => registered }),
      created: t.boolean({
        description: 'False when nothing has changed since the newest version.',
        resolve: ({ registered }) => registered.created,
      }),
      skipped: t.field({
        type: [SkippedRef],
        description: `Chosen operations that could not become nodes, at most ${maxOperations}.`,
        resolve: ({ made }) => made.skipped.slice(0, maxOperations),
      }),
      replaced: t.field({
        type: SourceRef,
        nullable: true,
        description: 'The description that the previous version was made from; null for a new package.',
        resolve: ({ made }) => made.before ?? null,
      }),
      warning: t.string({
        nullable: true,
        description: 'A warning about a likely mistake: the previous version was made from another API.',
        resolve: ({ made }) => otherApiWarning(made),
      }),
    }),
  },
);
