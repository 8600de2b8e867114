/**
 * The address of the server that sent this page, without a slash at its end. `base` is `document.baseURI`: where PUBLIC_URL has a path,
 * it has it too.
 */
export const serverAddress = (base: string): string => new URL('.', base).href.replace(/\/$/, '');

/** An example with the address of `server` for that of the development server. */
export const fillAddress = (text: string, server: string): string =>
  text.replaceAll('http://localhost:4000', server).replaceAll('ws://localhost:4000', server.replace(/^http/, 'ws'));
