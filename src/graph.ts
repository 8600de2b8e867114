import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Incoming } from './context.ts';
import type { TokenVerifier } from './identity/tokens.ts';
import type { Deps } from './platform/deps.ts';
import { useErrorMask } from './plugins/use-error-mask.ts';
import { useIntrospectionLimit } from './plugins/use-introspection-limit.ts';
import { useLiveStreams } from './plugins/use-live-streams.ts';
import { usePlainQueries } from './plugins/use-plain-queries.ts';
import { useReferenceExecutor } from './plugins/use-reference-executor.ts';
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
}) {
  const armor = new EnvelopArmor({
    maxDepth: { n: 12, ignoreIntrospection: true },
    maxAliases: { n: 30 },
    maxDirectives: { n: 20 },
    maxTokens: { n: 3_000 },
    // Cost is weighed by the schema itself (builder.ts), where lists know their sizes.
    costLimit: { enabled: false },
    blockFieldSuggestion: { enabled: !options.introspection },
  });
  return createYoga<{ incoming: Incoming }>({
    schema: options.schema,
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    batching: { limit: 5 },
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
      useReferenceExecutor(),
      usePlainQueries(),
      useErrorMask(),
      useViewer(options.deps, options.verifier) as Plugin,
      useLiveStreams(options.closing) as Plugin,
      // A browser cannot add these headers to a cross-site form post; every real client sends one of them.
      useCSRFPrevention({ requestHeaders: ['authorization', 'x-graphql-yoga-csrf', 'x-tenant-id'] }),
      ...(options.introspection ? [] : [useIntrospectionLimit()]),
      ...(armor.protect().plugins as Plugin[]),
    ],
  });
}

export type Graph = ReturnType<typeof createGraph>;
