import type { GraphQLField } from 'graphql/type/definition.js';
import type { GraphQLSchema } from 'graphql/type/schema.js';
import type { ApiDescription, ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import {
  assertOperationCount,
  type DescriptionSource,
} from '#src/automation/connectors/descriptions/description-source.ts';
import { kebab, nameOperations } from '#src/automation/connectors/descriptions/names.ts';
import { plainSentences, plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { InputSchemas } from './input-schemas.ts';
import { selectFields, type Selection } from './select-fields.ts';

type RootKind = 'query' | 'mutation';

interface RootField {
  kind: RootKind;
  field: GraphQLField<unknown, unknown>;
}

const tags: Readonly<Record<RootKind, string>> = { query: 'Queries', mutation: 'Mutations' };

/**
 * Reads a GraphQL schema. Each field of a root type becomes an operation: a POST with a query that selects the usual fields of the field's
 * type.
 */
export function readGraphql(schema: GraphQLSchema, { hash, from }: DescriptionSource): ApiDescription {
  const roots: RootField[] = [
    ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ({ kind: 'query' as const, field })),
    ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ({
      kind: 'mutation' as const,
      field,
    })),
  ];
  const subscriptions = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
  assertOperationCount(roots.length + subscriptions.length);
  const names = nameOperations(roots.map(({ kind, field }) => ({ id: field.name, method: kind, path: field.name })));
  const endpoint = readEndpoint(from);
  const schemas = new InputSchemas();
  // Selections are kept by type, because many root fields share one, for example a connection or the payload of a mutation.
  const selections = new Map<string, Selection>();
  const operations = roots.map((root, index) => {
    const key = String(root.field.type);
    const selection = selections.get(key) ?? selectFields(root.field.type, schemas);
    selections.set(key, selection);
    return readOperation(root, { name: names[index] ?? '', selection, schemas });
  });
  return {
    kind: 'graphql',
    title: plainSentences(schema.description ?? '', 80),
    version: '',
    hash,
    servers: endpoint === '' ? [] : [{ url: endpoint, variables: {} }],
    // A schema does not say how requests authenticate; most APIs take a token.
    security: { bearer: { type: 'bearer' } },
    operations,
    definitions: schemas.definitions(),
    skipped: subscriptions.map((name) => ({
      operation: `subscription ${name}`,
      reason: 'It is a subscription, which sends events over a connection of its own.',
    })),
  };
}

interface OperationParts {
  name: string;
  selection: Selection;
  schemas: InputSchemas;
}

function readOperation({ kind, field }: RootField, { name, selection, schemas }: OperationParts): ApiOperation {
  const variables = schemas.object(field.args);
  const required = variables['required'] === undefined ? {} : { required: ['variables'] };
  return {
    name,
    title: plainText(words(field.name), 80),
    summary: plainSentences(field.description ?? '', 200),
    tags: [tags[kind]],
    deprecated: field.deprecationReason != null,
    method: 'POST',
    path: '',
    parameters: [],
    ...(field.args.length > 0 && {
      body: {
        required: 'required' in required,
        description: '',
        content: [
          {
            mediaType: 'application/json',
            schema: { type: 'object', properties: { variables }, ...required },
            encoding: {},
          },
        ],
      },
    }),
    fixedBody: { query: writeQuery({ kind, field }, selection.text) },
    ...(selection.text !== '' && { selection: selection.text.trim() }),
    answers: [
      {
        status: '200',
        description: '',
        content: [{ mediaType: 'application/json', schema: answerSchema(field.name, selection.schema), encoding: {} }],
        headers: [],
      },
    ],
    security: [['bearer'], []],
  };
}

/** `query($id: ID!) { order(id: $id) { id } }` */
function writeQuery({ kind, field }: RootField, selection: string): string {
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const inner = `${field.name}${given === '' ? '' : `(${given})`}${selection}`;
  return `${kind}${declared === '' ? '' : `(${declared})`} { ${inner} }`;
}

const errors: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { message: { type: 'string' }, path: { type: 'array' }, extensions: { type: 'object' } },
  },
};

const answerSchema = (name: string, schema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { data: { type: ['object', 'null'], properties: { [name]: schema } }, errors },
});

/** Turns `createOrder` into `Create order`. */
function words(name: string): string {
  const text = kebab(name).replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1) || name;
}

/** The URL to which requests go; empty if it is unknown. A schema does not name it, so the address of the API is the whole URL. */
function readEndpoint(from: string): string {
  if (!URL.canParse(from) || !/^https?:/i.test(from)) return '';
  const { origin, pathname } = new URL(from);
  // The path of a schema file is not the path that requests go to.
  const isFile = /\.(?:graphqls?|gql|json)$/i.test(pathname) && !/\/graphql\.json$/i.test(pathname);
  return origin + (isFile ? '/graphql' : pathname);
}
