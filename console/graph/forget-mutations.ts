import { makeOperation, mapExchange } from 'urql';

/**
 * Keeps the cache from holding each mutation with its variables until the page is closed: a workflow's editor sends its whole graph with each
 * change. The cache holds those that it may have to show before their answer arrives, and no mutation of the console is shown so early.
 */
export const forgetMutations = () =>
  mapExchange({
    onOperation: (operation) =>
      operation.kind === 'mutation'
        ? makeOperation('mutation', operation, { ...operation.context, requestPolicy: 'network-only' })
        : operation,
  });
