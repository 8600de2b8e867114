// undici's own modules, by their files: its index reads a hundred more (mocks, caches, proxies, fetch), which is 40 ms of processor time in
// each process that starts. The index is also what gives dispatchers `request` and its like: call it as below.
// Ends when undici's index reads what it exports as it is asked for.

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
