import type { Deps } from './deps.ts';

/**
 * The services of a process, for resolvers and handlers. A domain adds its own member where it is declared (`declare module
 * '#src/infra/services.ts'`), so that there is no central list of domains.
 */
export interface Services {
  deps: Deps;
}
