import graphql from '@graphql-eslint/eslint-plugin';

// Checks schema.graphql (`npm run graph:lint`): all of graphql-eslint's schema rules and its rules for Relay.

const { rules: all } = graphql.configs['flat/schema-all'];
const { rules: relay } = graphql.configs['flat/schema-relay'];
const [, naming] = all['@graphql-eslint/naming-convention'];

/** Rules that are off, each with its reason. */
const off = {
  // The file is printed in alphabetical order, so there is nothing to check; the rule wants `id` first.
  '@graphql-eslint/alphabetize': 'off',
  // Only stored objects have an id and are a `Node`. Payloads, pages, counts and parts of an object have none.
  '@graphql-eslint/strict-id-in-types': 'off',
  // The rule refuses every mutation and every subscription.
  '@graphql-eslint/no-root-type': 'off',
  // A mutation always answers: expected failures are members of its result.
  '@graphql-eslint/require-nullable-result-in-root': 'off',
  // `credentialTypeSlug` names a credential type, not the credential that has the field, as it does in REST.
  '@graphql-eslint/no-typename-prefix': 'off',
  // A deprecated field is deleted with a version whose date nobody knows yet; `@deprecated` has no argument for a date anyway.
  '@graphql-eslint/require-deprecation-date': 'off',
};

/** Rules with other options than graphql-eslint's, each with its reason. */
const changed = {
  // Lists with a small bound, such as the triggers of a workflow, are plain lists. Failed jobs and outbox failures are listed
  // for operators alone, of all tenants; they are no objects that `node` could look up.
  '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false, shouldImplementNode: false }],
  // A credential type is a thing of its own, called so in REST and by everybody.
  '@graphql-eslint/naming-convention': ['error', { ...naming, 'ObjectTypeDefinition,ObjectTypeExtension': {} }],
  // Every type, field and argument is described, but for those that are plain from their name and type.
  '@graphql-eslint/require-description': [
    'error',
    {
      types: true,
      rootField: true,
      FieldDefinition: true,
      InputValueDefinition: true,
      ignoredSelectors: [
        // What mutations take and answer is described with the mutation; it is named for it.
        'UnionTypeDefinition[name.value=/Result$/]',
        'ObjectTypeDefinition[name.value=/Payload$/]',
        'InputObjectTypeDefinition[name.value=/Input$/]',
        'InputValueDefinition[name.value=input]',
        'ObjectTypeDefinition[name.value=/^(Query|Mutation|Subscription)$/]',
        // Ids, names, instants and filters, whose types describe them.
        'FieldDefinition[name.value=/^(id|name|createdAt|updatedAt|node|viewerCan)$/]',
        'InputValueDefinition[name.value=/^(id|workflowId|credentialId|filter)$/]',
        // Fields named for their type: `status: RunStatus!`, `workflow: Workflow!`.
        'FieldDefinition[name.value=/^(status|level|workflow|trigger|credential|package)$/]',
        'ObjectTypeDefinition[name.value=/Payload$/] FieldDefinition',
        'ObjectTypeDefinition[name.value=/Counts$/] FieldDefinition',
        'ObjectTypeDefinition[name.value=/Permissions$/] FieldDefinition',
        // Described in the interface that they implement.
        'ObjectTypeDefinition[name.value=/Error$/] FieldDefinition[name.value=/^(code|message)$/]',
      ],
    },
  ],
};

export default [
  {
    files: ['schema.graphql'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema: 'schema.graphql' } } },
    plugins: { '@graphql-eslint': graphql },
    rules: { ...all, ...relay, ...off, ...changed },
  },
];
