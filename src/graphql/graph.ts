import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { areLimited, createRateLimits, type Rates } from '#src/infra/http/rate-limits.ts';
import type { Services } from '#src/infra/services.ts';
import type { Incoming } from './context.ts';
import type { DocumentChecks, PersistedDocuments } from './persisted-documents.ts';
import { batchLimit, useDocumentLimits } from './plugins/use-document-limits.ts';
import { useErrorMask } from './plugins/use-error-mask.ts';
import { useExecution } from './plugins/use-execution.ts';
import { useIntrospectionLimit } from './plugins/use-introspection-limit.ts';
import { usePersistedDocuments } from './plugins/use-persisted-documents.ts';
import { createBudget, useRateLimit } from './plugins/use-rate-limit.ts';
import { useRequestErrors } from './plugins/use-request-errors.ts';
import { useViewer } from './plugins/use-viewer.ts';

export const graphqlPath = '/graphql';

// Lines are short, because only half of the window's width is visible. The query has no name: GraphiQL would ask for the operation of that
// name if the next query is run right after it was typed.
const firstQuery = `# 1. Print a token (in development):
#      npm run -s token
# 2. Put it into the headers below:
#      "authorization": "Bearer <token>"
# 3. Run this. npm run demo adds a run.
{
  me { claims { sub } context { tenantId roles } }
  runs(first: 5) {
    edges { node { id workflowName status } }
  }
}
`;

/**
 * The graph behind both APIs: HTTP and sockets at /graphql, and rest-compat through `getEnveloped`. A refusal by a plugin here applies to
 * both.
 */
export function createGraph(options: {
  services: Services;
  schema: GraphQLSchema;
  rates: Rates;
  /** Headers that our clients send and that forms of another site cannot send; in lower case. */
  ownHeaders: readonly string[];
  introspection: boolean;
  graphiql: boolean;
  persisted: PersistedDocuments;
}) {
  const { rates, services } = options;
  const budget = areLimited(rates) ? createBudget(createRateLimits(services.deps.database, rates)) : undefined;
  const yoga = createYoga<{ incoming: Incoming }>({
    schema: options.schema,
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    batching: { limit: batchLimit },
    multipart: false,
    cors: false,
    graphiql: options.graphiql && {
      title: 'Causeway',
      // GraphiQL's socket client does not send the headers in the way that our server expects; its streams do.
      subscriptionsProtocol: 'SSE',
      shouldPersistHeaders: true,
      // The token is empty at first: the schema may be read without one, and an invalid token is refused.
      headers: JSON.stringify({ authorization: '', 'x-tenant-id': 'demo' }, null, 2),
      defaultQuery: firstQuery,
    },
    renderGraphiQL: async (page) => {
      // Its scripts take 29 MiB of memory, so they are loaded when somebody opens the page.
      const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
      return renderGraphiQL(page);
    },
    plugins: [
      // First, so that nothing is planned for a refused request.
      ...(budget ? [useRateLimit(budget)] : []),
      useExecution(budget),
      useErrorMask(),
      useViewer(services),
      // A browser cannot add these headers to a cross-site form post; every real client sends one of them.
      useCSRFPrevention({ requestHeaders: ['authorization', 'x-graphql-yoga-csrf', ...options.ownHeaders] }),
      ...(options.introspection ? [] : [useIntrospectionLimit()]),
      useRequestErrors({ suggestions: options.introspection }),
      useDocumentLimits(),
      usePersistedDocuments(options.persisted),
    ],
  });
  const graph = Object.assign(yoga, { persisted: options.persisted, ownHeaders: options.ownHeaders });
  options.persisted.assertFit(graph.getEnveloped({}) as DocumentChecks);
  return graph;
}

export type Graph = ReturnType<typeof createGraph>;
