import type { Deps } from './deps.ts';

/**
 * What is open in a process, as resolvers and handlers find it. A domain adds its own member where it is declared
 * (`declare module '#src/infra/services.ts'`), so that no list of domains stands here.
 */
export interface Services {
  deps: Deps;
}
