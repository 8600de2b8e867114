import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Caller, createContext, type Incoming } from '#src/graphql/context.ts';
import { createCountedInfo } from '#src/infra/logs/counted-line.ts';
import type { Services } from '#src/infra/services.ts';

/** Identifies the caller and makes the context of resolvers; every transport and API goes through here. */
export const useViewer = (services: Services): Plugin<{ incoming: Incoming }> => ({
  async onContextBuilding({ context: { incoming }, extendContext }) {
    extendContext(createContext(services, incoming, await identifyCaller(incoming)));
  },
});

const logRefused = createCountedInfo('A token was refused.');

/** The caller learns only that the token was refused; the log gets the reason. */
async function identifyCaller(incoming: Incoming): Promise<Caller> {
  try {
    return await incoming.identify();
  } catch (error) {
    const reason =
      error instanceof GraphQLError && error.extensions['code'] === 'UNAUTHENTICATED' && error.originalError;
    if (reason) logRefused(incoming.log, reason, { requestId: incoming.requestId });
    throw error;
  }
}
