import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import ErrorsPlugin from '@pothos/plugin-errors';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type PrismaTypes from '#prisma/pothos.ts';
import { getDatamodel } from '#prisma/pothos.ts';
import type { ManifestImage } from '#src/automation/node-api/manifest.ts';
import type { RunRow } from '#src/automation/runs/runs.reads.ts';
import {
  AppError,
  accessError,
  ConflictError,
  type FieldErrors,
  NotFoundError,
  ValidationError,
} from '#src/infra/errors.ts';
import { parseInstant } from '#src/infra/instant-text.ts';
import { type Access, accessOf } from './access.ts';
import type { Context } from './context.ts';
import { mostCounted } from './paging/connections.ts';
import { checkedJson, maxJsonDepth } from './scalars/json-scalar.ts';

// Plugins and scalars; types stand in each noun's *.graphql.ts.
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  AuthScopes: Access;
  /** Plain types that other nouns name. */
  Objects: { Run: RunRow; NodePackageImage: ManifestImage };
  Scalars: {
    ID: { Input: string; Output: string | number | bigint };
    DateTime: { Input: Date; Output: Date | string };
    JSON: { Input: unknown; Output: unknown };
    /** A whole number below 2^53. */
    Long: { Input: number; Output: number | bigint };
    /** Bytes on their way in. */
    Upload: { Input: Uint8Array | AsyncIterable<Uint8Array>; Output: never };
  };
  Connection: { totalCount: () => Promise<number> };
}>({
  // Errors before scope-auth, so that a refusal is never turned into a union member.
  plugins: [ErrorsPlugin, ScopeAuthPlugin, RelayPlugin, PrismaPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    edgesFieldOptions: { nullable: false },
    nodeFieldOptions: { nullable: false },
    nodesQueryOptions: false,
    nodeQueryOptions: { description: 'Any object by its global id.' },
  },
  prisma: {
    client: (context) => context.db,
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
  // Only declares what fields cost; use-cost-limit.ts adds it up before anything is resolved.
  complexity: { disabled: true, defaultComplexity: 0 },
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: accessOf,
    unauthorizedError: (_parent, context) => accessError(context.viewer ? 'FORBIDDEN' : 'UNAUTHENTICATED'),
  },
});

// Every field needs a good token; what is public says so (skipTypeScopes), what needs more says what.
builder.queryType({ authScopes: { authenticated: true } });
builder.mutationType({ authScopes: { authenticated: true } });
builder.subscriptionType({ authScopes: { authenticated: true } });

builder.globalConnectionField('totalCount', (t) =>
  t.field({
    type: 'Long',
    description: `Counted only when asked for, up to ${mostCounted}, which stands for as many or more.`,
    resolve: ({ totalCount }) => totalCount(),
  }),
);

builder.scalarType('DateTime', {
  description: 'An ISO 8601 instant with milliseconds, in UTC.',
  serialize: (value) => (value instanceof Date ? value.toISOString() : value),
  parseValue: parseInstant,
});

builder.scalarType('JSON', {
  description: `Any JSON value, at most ${maxJsonDepth} levels deep.`,
  serialize: (value) => value,
  parseValue: checkedJson,
});

builder.scalarType('Long', {
  description: 'A whole number below 2^53: a database id or a count.',
  serialize: (value) => Number(value),
  parseValue: (value) => {
    if (!Number.isSafeInteger(value)) throw new TypeError('Use a whole number below 2^53.');
    return value as number;
  },
});

export const ErrorInterface = builder.interfaceRef<AppError>('Error').implement({
  description: 'What a mutation answers instead of its payload. `code` is stable, `message` is for people.',
  fields: (t) => ({ code: t.exposeString('code'), message: t.exposeString('message') }),
});

builder.objectType(ValidationError, {
  name: 'ValidationError',
  description: 'Some field of the input is not as it must be.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    fields: t.field({
      type: 'JSON',
      description: 'Messages per field, keyed by dotted path.',
      resolve: (error): FieldErrors => error.fields,
    }),
  }),
});
builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'The tenant has no such object.',
  interfaces: [ErrorInterface],
});
builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'The object is not, or no longer, in the state this needs.',
  interfaces: [ErrorInterface],
});
builder.objectType(AppError, {
  name: 'RequestError',
  description: 'Any other expected failure; `code` says which.',
  interfaces: [ErrorInterface],
});

/** The error members every mutation's union has, most specific first. */
export const errorTypes = { types: [ValidationError, NotFoundError, ConflictError, AppError] };
