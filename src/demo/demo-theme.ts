const host = '127.0.0.1';

/** The theme of `npm run demo:theme`. */
export const demoTheme = { host, port: 4020, theme: 'acme/starter', version: '1.0.0', title: 'Starter' };

/** The extension of the demo theme. Its port is fixed, because a registered version keeps its address, and egress allows that address. */
export const demoExtension = { host, port: 4021, address: `${host}:4021` };
