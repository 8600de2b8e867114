import { sampleOrder } from '#examples/demo/demo-workflow.ts';

/** What a person who typed `npm start` wants to know next. */
export function greeting(options: { url: string; erpUrl?: string; demoHandle?: string; readyMs: number }): string {
  const { url, erpUrl, demoHandle } = options;
  const order = JSON.stringify(sampleOrder('SO-1001'));
  const lines = [
    `Causeway is ready after ${(options.readyMs / 1_000).toFixed(1)} s.`,
    '',
    `  GraphiQL   ${url}/graphql`,
    `  REST       ${url}/api/v1    OpenAPI  ${url}/api/v1/openapi.json`,
    '  Token      npm run -s token -- --tenant demo --role admin',
    ...(erpUrl === undefined ? [] : [`  ERP        ${erpUrl}/receipts (a stand-in)`]),
    ...(demoHandle === undefined
      ? []
      : [
          '',
          '  npm run demo sends an order through the demo workflow. The same by hand:',
          '',
          `  curl -X POST ${url}/api/v1/webhooks/${demoHandle} \\`,
          '    -H "Authorization: Bearer $(npm run -s token)" -H "X-Tenant-Id: demo" \\',
          `    -H "Content-Type: application/json" -d '${order}'`,
        ]),
  ];
  return `\n${lines.join('\n')}\n\n`;
}
