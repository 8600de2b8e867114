import type { Plugin } from 'graphql-yoga';
import { createContext, type Incoming } from '#src/graphql/context.ts';
import type { Opened } from '#src/infra/opened.ts';

/** Finds the caller and makes the context that resolvers see; every transport and face goes through here. */
export const useViewer = (opened: Opened): Plugin<{ incoming: Incoming }> => ({
  async onContextBuilding({ context: { incoming }, extendContext }) {
    extendContext(createContext(opened, incoming, await incoming.identify()) as never);
  },
});
