import { setTimeout as delay } from 'node:timers/promises';
import { type Command, CommandError, textOf } from '#bin/command.ts';
import { createDemoClient, type DemoClient } from '#bin/demo-client.ts';
import { signDevelopmentToken } from '#bin/development-token.ts';
import { settingsOf } from '#bin/settings.ts';
import { demoOrg, demoTenant, demoWorkflowName, sampleOrder } from '#examples/demo/demo-workflow.ts';

interface DemoWorkflow {
  name: string;
  blob: { nodes: { id: string; node: string; config: { base_url?: string } }[] };
  bundle: { status: string; error: string | null };
  triggers: { type: string; handle: string }[];
}
interface LiveRun {
  status: string;
  error: string | null;
}
interface RunDetail {
  result: unknown;
  steps: { path: string; status: string; startedAt: string; completedAt: string | null }[];
}
interface Receipt {
  erpNumber: string;
  order: { externalNumber: string; currency?: string; lines: { article: string; quantity: string; price?: string }[] };
}

const terminal = ['SUCCEEDED', 'FAILED', 'CANCELLED'];
const buildWaitMs = 15_000;
const runWaitMs = 60_000;

export const command: Command = {
  name: 'demo',
  summary: 'Send a sample order to the demo workflow and watch it arrive in the ERP.',
  usage: '[options]',
  options: { url: { type: 'string', about: 'The Causeway; http://localhost:<PORT> by default.' } },
  async run(values, _positionals, io) {
    const env = settingsOf(io);
    const url = textOf(values, 'url') ?? io.env.CAUSEWAY_URL ?? `http://localhost:${env.PORT}`;
    const person = { sub: 'demo', email: 'demo@example.com', name: 'Demo', roles: ['admin'], ttlSeconds: 600 };
    const token = await signDevelopmentToken(env, { ...person, org: demoOrg.id, tenant: demoTenant.id });
    const client = createDemoClient({ url, token, tenant: demoTenant.id });
    const print = (text: string) => values.json === true || io.out(text);
    const workflow = await findWorkflow(client);

    const order = sampleOrder(`SO-${Date.now().toString().slice(-6)}`);
    const path = `/api/v1/webhooks/${workflow.triggers.find(({ type }) => type === 'WEBHOOK')?.handle}`;
    print(`\nOrder ${order.order_no} -> POST ${path}\n\n`);
    const firedAt = performance.now();
    const fired = (await client.post(path, order)) as { run_id: number | null };
    if (fired.run_id === null) throw new CommandError('The firing became a dead letter: the workflow is not runnable.');

    const statuses = await watch(client, fired.run_id, firedAt, print);
    const run = await detailOf(client, fired.run_id);
    const receipt = await receiptOf(workflow, order.order_no);
    print(`\n${stepLines(run)}\nThe run answered ${JSON.stringify(run.result)}\n${receiptLines(receipt)}\n`);
    if (values.json === true)
      io.out(`${JSON.stringify({ run_id: fired.run_id, statuses, result: run.result, receipt })}\n`);
    return statuses.at(-1)?.status === 'SUCCEEDED' ? 0 : 1;
  },
};

/** The demo workflow, once it is built; a fresh start takes a moment. */
async function findWorkflow(client: DemoClient): Promise<DemoWorkflow> {
  const document = `query ($name: String!) { workflows(filter: { search: $name }, first: 1) { edges { node {
    name blob bundle { status error } triggers { type handle } } } } }`;
  for (const deadline = Date.now() + buildWaitMs; ; await delay(200)) {
    const { workflows } = await client.query<{ workflows: { edges: { node: DemoWorkflow }[] } }>(document, {
      name: demoWorkflowName,
    });
    const found = workflows.edges[0]?.node;
    if (!found) {
      throw new CommandError(
        'There is no demo workflow in the tenant. The first start on an empty DATA_DIR creates it.',
      );
    }
    if (found.bundle.status === 'READY') return found;
    if (found.bundle.status === 'FAILED' || Date.now() > deadline) {
      throw new CommandError(`The demo workflow is not runnable: ${found.bundle.error ?? 'it is still being built'}.`);
    }
  }
}

/** Prints each status as it arrives over the socket, until the run has ended. */
async function watch(client: DemoClient, id: number, firedAt: number, print: (text: string) => unknown) {
  const statuses: { status: string; ms: number }[] = [];
  const document = 'subscription ($id: ID) { runUpdated(id: $id) { status error } }';
  const late = Date.now() + runWaitMs;
  for await (const { runUpdated } of client.subscribe<{ runUpdated: LiveRun }>(document, { id: String(id) })) {
    const ms = Math.round(performance.now() - firedAt);
    statuses.push({ status: runUpdated.status, ms });
    print(
      `  ${String(ms).padStart(5)} ms  run ${id} ${runUpdated.status}${runUpdated.error ? `: ${runUpdated.error}` : ''}\n`,
    );
    if (terminal.includes(runUpdated.status) || Date.now() > late) break;
  }
  return statuses;
}

async function detailOf(client: DemoClient, id: number): Promise<RunDetail> {
  const document = 'query ($id: ID!) { run(id: $id) { result steps { path status startedAt completedAt } } }';
  const { run } = await client.query<{ run: RunDetail }>(document, { id: String(id) });
  return run;
}

const stepLines = ({ steps }: RunDetail): string =>
  steps
    .toSorted((a, b) => (a.completedAt ?? '').localeCompare(b.completedAt ?? ''))
    .map(({ path, status, startedAt, completedAt }) => {
      const ms = completedAt === null ? '' : `${Date.parse(completedAt) - Date.parse(startedAt)} ms`;
      return `  ${ms.padStart(8)}  ${path.padEnd(14)}${status}\n`;
    })
    .join('');

/** The stand-in ERP's receipt of the order, read from the ERP itself. */
async function receiptOf({ blob }: DemoWorkflow, number: string): Promise<Receipt | null> {
  const erp = blob.nodes.find(({ node }) => node === 'erp:create-order')?.config.base_url;
  if (erp === undefined) return null;
  const response = await fetch(`${erp}/receipts`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  if (!response?.ok) return null;
  const { receipts } = (await response.json()) as { receipts: Receipt[] };
  return receipts.find(({ order }) => order.externalNumber === number) ?? null;
}

function receiptLines(receipt: Receipt | null): string {
  if (!receipt) return 'The stand-in ERP has no receipt for it.\n';
  const { erpNumber, order } = receipt;
  const lines = order.lines.map(
    ({ article, quantity, price = '' }) => `    ${quantity.padStart(3)} x ${article.padEnd(10)} ${price}\n`,
  );
  return `The ERP has it as ${erpNumber} (${order.externalNumber}, ${order.currency ?? ''}):\n${lines.join('')}`;
}
