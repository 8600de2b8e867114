const host = '127.0.0.1';

/** The theme of `npm run demo:theme`. */
export const demoTheme = { host, port: 4020, theme: 'acme/starter', version: '1.0.0', title: 'Starter' };

/** The extension beside it. Its port is fixed, because a registered version keeps its address and the server lets it through. */
export const demoExtension = { host, port: 4021, address: `${host}:4021` };
