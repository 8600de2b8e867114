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
}): string {
  const { url, hasConsole, erpUrl, demo } = options;
  const npm = [...Object.entries(options.settings).map(([name, value]) => `${name}=${quoted(value)}`), 'npm'].join(' ');
  const lines = [
    `Causeway is ready after ${(options.readyMs / 1_000).toFixed(1)} s.`,
    '',
    ...(hasConsole
      ? [`  Console    ${url}    your first workflow, step by step: ${url}/console/docs/first-workflow`]
      : []),
    `  GraphiQL   ${url}/graphql`,
    `  REST       ${url}/api/v1    OpenAPI  ${url}/api/v1/openapi.json`,
    `  Platform   ${url}/v1        with an API key, for ERPs`,
    `  Token      ${npm} run -s token -- --tenant demo --role admin`,
    ...(erpUrl === undefined ? [] : [`  ERP        ${erpUrl}/receipts (a stand-in)`]),
    ...(demo === undefined
      ? []
      : [
          '',
          `  ${npm} run demo fills the demo shop, places an order there and follows it to the ERP and back. An order of another shop:`,
          '',
          `  curl -X POST ${url}/api/v1/webhooks/${demo.handle} \\`,
          `    -H "Authorization: Bearer $(${npm} run -s token)" -H "X-Tenant-Id: demo" \\`,
          `    -H "Content-Type: application/json" -d '${JSON.stringify(demo.order)}'`,
        ]),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

/** Quoted for a shell, if necessary. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
