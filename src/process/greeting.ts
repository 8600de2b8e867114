/** The text that `npm start` prints when everything is ready: addresses, and what to try next. */
export function greeting(options: {
  url: string;
  /** Whether the console is served at the address itself. */
  hasConsole: boolean;
  /** The settings that commands in another terminal need to find this server. */
  settings: Readonly<Record<string, string>>;
  erpUrl?: string;
  /** The demo workflow's webhook, with an order to send there. */
  demo?: { handle: string; order: object };
  readyMs: number;
  /** How the CLI is called where this is no clone. */
  cli?: string | undefined;
}): string {
  const { url, hasConsole, erpUrl, demo, cli } = options;
  const settings = Object.entries(options.settings).map(([name, value]) => `${name}=${quoted(value)} `);
  const call = (command: string, words = ''): string =>
    settings.join('') +
    (cli === undefined
      ? `npm run -s ${command}${words && ` -- ${words}`}`
      : `${cli} ${command}${words && ` ${words}`}`);
  const lines = [
    `Causeway is ready after ${(options.readyMs / 1_000).toFixed(1)} s.`,
    '',
    ...(hasConsole
      ? [`  Console    ${url}    your first workflow, step by step: ${url}/console/docs/first-workflow`]
      : []),
    `  GraphiQL   ${url}/graphql`,
    `  REST       ${url}/api/v1    OpenAPI  ${url}/api/v1/openapi.json`,
    `  Platform   ${url}/v1        with an API key, for ERPs`,
    `  Token      ${call('token', '--tenant demo --role admin')}`,
    ...(erpUrl === undefined ? [] : [`  ERP        ${erpUrl}/receipts (a stand-in)`]),
    ...(demo === undefined
      ? []
      : [
          '',
          `  ${call('demo')} fills the demo shop, places an order there and follows it to the ERP and back. An order of another shop:`,
          '',
          `  curl -X POST ${url}/api/v1/webhooks/${demo.handle} \\`,
          `    -H "Authorization: Bearer $(${call('token')})" -H "X-Tenant-Id: demo" \\`,
          `    -H "Content-Type: application/json" -d '${JSON.stringify(demo.order)}'`,
        ]),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

/** Quoted for a shell, if necessary. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
