import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Incoming } from './context.ts';
import type { TokenVerifier } from './identity/tokens.ts';
import type { DocumentChecks, PersistedDocuments } from './persisted-documents.ts';
import type { Deps } from './platform/deps.ts';
import { useCostLimit } from './plugins/use-cost-limit.ts';
import { batchLimit, useDocumentLimits } from './plugins/use-document-limits.ts';
import { useErrorMask } from './plugins/use-error-mask.ts';
import { useIntrospectionLimit } from './plugins/use-introspection-limit.ts';
import { useLiveStreams } from './plugins/use-live-streams.ts';
import { usePersistedDocuments } from './plugins/use-persisted-documents.ts';
import { usePlainQueries } from './plugins/use-plain-queries.ts';
import { useReferenceExecutor } from './plugins/use-reference-executor.ts';
import { useRequestErrors } from './plugins/use-request-errors.ts';
import { useViewer } from './plugins/use-viewer.ts';

export const graphqlPath = '/graphql';

/**
 * The graph behind both faces: HTTP and sockets at /graphql, and rest-compat through `getEnveloped`. What a plugin refuses
 * here is refused for both.
 */
export function createGraph(options: {
  deps: Deps;
  schema: GraphQLSchema;
  verifier: TokenVerifier;
  introspection: boolean;
  graphiql: boolean;
  /** Ends every live stream: the process is going. */
  closing?: AbortSignal;
  persisted: PersistedDocuments;
}) {
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
      subscriptionsProtocol: 'WS',
      shouldPersistHeaders: true,
      headers: JSON.stringify({ authorization: 'Bearer ', 'x-tenant-id': 'demo' }, null, 2),
    },
    renderGraphiQL,
    plugins: [
      // First, so that nothing is planned for what is refused.
      useCostLimit(),
      useReferenceExecutor(),
      usePlainQueries(),
      useErrorMask(),
      useViewer(options.deps, options.verifier) as Plugin,
      useLiveStreams(options.closing) as Plugin,
      // A browser cannot add these headers to a cross-site form post; every real client sends one of them.
      useCSRFPrevention({ requestHeaders: ['authorization', 'x-graphql-yoga-csrf', 'x-tenant-id'] }),
      ...(options.introspection ? [] : [useIntrospectionLimit()]),
      useRequestErrors({ suggestions: options.introspection }),
      useDocumentLimits(),
      usePersistedDocuments(options.persisted),
    ],
  });
  const graph = Object.assign(yoga, { persisted: options.persisted });
  options.persisted.assertFit(graph.getEnveloped({}) as DocumentChecks);
  return graph;
}

export type Graph = ReturnType<typeof createGraph>;
