import { type Command, CommandError, textOption } from '#bin/command.ts';
import { signDevelopmentToken } from '#bin/development-token.ts';
import { readSettings } from '#bin/settings.ts';
import { demoOrg, demoTenant } from '#src/demo/demo-workflow.ts';
import { createDemoClient } from './demo-client.ts';
import { acknowledged, findWorkflow, placeOrder, findPriceLists, fetchReceipt, findRun } from './demo-order.ts';

export const command: Command = {
  usage: '[options]',
  options: { url: { type: 'string', about: 'The Causeway; http://localhost:<PORT> by default.' } },
  async run(values, _positionals, io) {
    const env = readSettings(io);
    const url = textOption(values, 'url') ?? io.env.CAUSEWAY_URL ?? `http://localhost:${env.PORT}`;
    const person = { sub: 'demo', email: 'demo@example.com', name: 'Demo', roles: ['admin'], ttlSeconds: 600 };
    const token = await signDevelopmentToken(env, { ...person, org: demoOrg.id, tenant: demoTenant.id });
    const client = createDemoClient({ url, token, tenant: demoTenant.id });
    const print = (text: string) => values.json === true || io.out(text);
    const say = (who: string, what: string) => print(`${who.padEnd(10)}${what}\n`);

    const workflow = await findWorkflow(client);
    const { order, organization } = await placeOrder(client);
    const { databaseId: id, number, positions, currency, totals } = order;
    const goods = positions.map(({ sku, quantity }) => `${quantity} x ${sku}`).join(', ');
    say('Shop', `${organization} orders ${goods}: order ${number}, ${totals.gross} ${currency} with tax`);
    const lists = await findPriceLists(client);
    const prices = positions.map(({ sku, unitPrice }, index) => `${sku} ${unitPrice} from list ${lists[index]}`);
    say('Causeway', `priced it (${prices.join(', ')})`);
    say(
      'Causeway',
      `stored it, its reservations at ${positions[0]?.location} and the event order.created in one commit`,
    );

    const run = await findRun(client, workflow, id);
    const steps = run.steps.map(({ path }) => path).join(', ');
    say('Causeway', `order.created started run ${run.databaseId} of "${workflow.name}": ${steps}`);

    const end = await acknowledged(client, order);
    const ms = Date.parse(end.updatedAt) - Date.parse(end.placedAt);
    const receipt = await fetchReceipt(workflow, id);
    if (end.erpNumber === null) throw new CommandError(silence(number, receipt?.acknowledged ?? 'nothing yet'));
    if (receipt)
      say('ERP', `booked it as ${receipt.erpNumber} and called POST /v1/orders/${id}/acknowledge with its API key`);
    say('Shop', `order ${number} is ${end.status} as ${end.erpNumber}, ${ms} ms after it was placed`);
    print(next(url, id, io.env['CAUSEWAY_CLI']));
    if (values.json === true) io.out(`${JSON.stringify({ order: end, run, receipt, ms })}\n`);
    return 0;
  },
};

const next = (url: string, id: number, cli = 'npm run -s causeway --'): string => `
Next: do what the ERP does, with a key of your own.
  KEY=$(${cli} api-key create --tenant ${demoTenant.id} --name me --scope '*')
  curl -X POST ${url}/v1/orders/${id}/complete -H "X-Platform-Api-Key: $KEY" -H "X-Platform-Tenant: ${demoTenant.id}"
`;

const silence = (number: string, answer: string): string =>
  `The ERP did not acknowledge order ${number}: /v1 answered it ${answer}. Its API key is in the file demo-erp-key of DATA_DIR; remove ` +
  'it and run npm start again for a new one.';
