import type { Plugin } from 'graphql-yoga';
import { createContext, type Incoming } from '#src/graphql/context.ts';
import type { Deps } from '#src/infra/deps.ts';

/** Finds the caller and makes the context that resolvers see; every transport and face goes through here. */
export const useViewer = (deps: Deps): Plugin<{ incoming: Incoming }> => ({
  async onContextBuilding({ context: { incoming }, extendContext }) {
    extendContext(createContext(deps, incoming, await incoming.identify()) as never);
  },
});
