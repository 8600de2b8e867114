import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import ErrorsPlugin from '@pothos/plugin-errors';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { getDatamodel, type default as PrismaTypes } from '#prisma/pothos.ts';
import { accessError } from '#src/infra/errors.ts';
import { createAccess, type FieldAccess, forbidden, scopesIn } from './access.ts';
import { boundedLists } from './bounded-lists.ts';
import type { Context } from './context.ts';
import { maySee } from './node-access.ts';
import { maxCounted, pageArgs } from './paging/connections.ts';
import {
  type Base64,
  base64,
  type DateTime,
  dateTime,
  type Decimal,
  decimal,
  json,
  type Long,
  long,
} from './scalars.ts';

/**
 * Types of objects that other nouns refer to by name. A noun adds its own beside its graph: `declare module '#src/graphql/builder.ts' {
 * interface GraphObjects { Run: RunRow } }`.
 */
export interface GraphObjects {}

// Plugins and scalars; types are in each noun's *.graphql.ts.
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  AuthScopes: FieldAccess;
  Objects: GraphObjects;
  Scalars: {
    ID: { Input: string; Output: string | number | bigint };
    DateTime: DateTime;
    JSON: { Input: unknown; Output: unknown };
    Long: Long;
    Base64: Base64;
    Decimal: Decimal;
  };
  Connection: { totalCount: () => Promise<number> };
}>({
  // The errors plugin comes before scope-auth, so that a refusal is never turned into a union member.
  plugins: [ErrorsPlugin, ScopeAuthPlugin, RelayPlugin, PrismaPlugin, ComplexityPlugin, boundedLists],
  defaultFieldNullability: false,
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    edgesFieldOptions: { nullable: false, description: 'The rows of the page, in the order of the list.' },
    nodeFieldOptions: { nullable: false },
    cursorFieldOptions: { description: 'The place of the row, for `after` and `before`.' },
    pageInfoFieldOptions: { description: 'Where the page stands in the list.' },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    startCursorFieldOptions: { description: 'For `before`: the page that ends here. Null on an empty page.' },
    endCursorFieldOptions: { description: 'For `after`: the page that begins here. Null on an empty page.' },
    hasNextPageFieldOptions: { description: 'Whether rows come after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows come before this page.' },
    firstArgOptions: pageArgs.first,
    afterArgOptions: pageArgs.after,
    lastArgOptions: pageArgs.last,
    beforeArgOptions: pageArgs.before,
    nodeTypeOptions: { description: 'An object with a global id.' },
    nodesQueryOptions: false,
    nodeQueryOptions: {
      description: 'Any object by its global id; null where there is none that the caller may see.',
      resolve: (_root, { id }, context, info, load) => (maySee(info.schema, id.typename, context) ? load(id) : null),
    },
  },
  prisma: {
    // The node catalogue is also read without a tenant.
    client: ({ tenant, deps }) => tenant?.db ?? deps.database.global,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    maxConnectionSize: 100,
    defaultConnectionSize: 25,
    onUnusedQuery: 'error',
  },
  errors: {
    directResult: true,
    defaultTypes: [],
    defaultUnionOptions: { name: ({ fieldName }) => `${fieldName.charAt(0).toUpperCase()}${fieldName.slice(1)}Result` },
  },
  // Only declares the cost of fields; use-execution.ts adds it up before anything is resolved.
  complexity: { disabled: true, defaultComplexity: 0 },
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: createAccess,
    unauthorizedError: (_parent, context, _info, { failure }) =>
      context.viewer ? forbidden(context, scopesIn(failure)) : accessError('UNAUTHENTICATED', { hint: context.hint }),
  },
});

// Every field requires valid credentials; public fields opt out (skipTypeScopes), and others name what more they require.
builder.queryType({ authScopes: { identified: true } });
builder.mutationType({ authScopes: { identified: true } });
builder.subscriptionType({ authScopes: { identified: true } });

builder.globalConnectionField('totalCount', (t) =>
  t.field({
    type: 'Long',
    description: `Counted only when asked for, up to ${maxCounted}, which stands for as many or more.`,
    resolve: ({ totalCount }) => totalCount(),
  }),
);

builder.scalarType('DateTime', dateTime);
builder.scalarType('JSON', json);
builder.scalarType('Long', long);
builder.scalarType('Base64', base64);
builder.scalarType('Decimal', decimal);
