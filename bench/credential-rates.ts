import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, chainNodes } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant } from './lib/stats.ts';
import { startWorkerProcess, type WorkerProcess } from './lib/worker-process.ts';

/**
 * Measures a credential with a limit of 10 requests a second that 4 worker processes and 20 workflows share. One workflow has ten times as many
 * runs as each of the others. A receiver counts the requests. `node bench/credential-rates.ts [seconds]`
 */
const [seconds = 60] = process.argv.slice(2).map(Number);
const limit = { perSecond: 10, workers: 4, workflows: 20 };
const warmUpMs = 5_000;
const runsPerWorkflow = Math.ceil(((seconds + warmUpMs / 1_000) * limit.perSecond * 1.3) / limit.workflows);
const tenantId = 'tenant-0';

/** The time and the workflow of each request that arrived. */
const arrivals: { at: number; workflow: number }[] = [];
const receiver = createServer((request, response) => {
  arrivals.push({ at: performance.now(), workflow: Number(request.url?.slice(1)) });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;

async function addCredential(api: ApiProcess): Promise<number> {
  const input = {
    credentialTypeSlug: 'core:bearer',
    name: 'Limited',
    config: { token: 'token-of-the-bench' },
    rateLimit: { requests: limit.perSecond, per: 'SECOND' },
  };
  const response = await fetch(`http://127.0.0.1:${api.port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantId, ['admin'])) },
    body: JSON.stringify({
      query: `mutation ($input: CreateCredentialInput!) { createCredential(input: $input) {
        ... on CreateCredentialPayload { credential { databaseId } } ... on Error { message } } }`,
      variables: { input },
    }),
  });
  const answer = (await response.json()) as { data?: { createCredential: { credential?: { databaseId: number } } } };
  const id = answer.data?.createCredential.credential?.databaseId;
  if (id === undefined) throw new Error(`The credential was not created: ${JSON.stringify(answer)}`);
  return id;
}

async function fire(api: ApiProcess, handle: string, runs: number): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/webhooks/${handle}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await api.headersFor(tenantId)) },
      body: '{}',
    });
    if (!response.ok) throw new Error(`A firing was answered ${response.status}.`);
  }
}

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('credential_rates');
  await migrate(url, declarations.jobs);
  await addWorkflows(url, { name: 'Tenant', blob: chainNodes(['set'], 'core:set', { values: {} }), tenants: 1 });
  const env = { CREDENTIALS_KEY: generateKey(), SECRETS_KEY: generateKey(), EGRESS_ALLOW: host };
  const api = await startApiProcess({ databaseUrl: url, orgId: benchOrg, poolSize: 5, env });
  const workers: WorkerProcess[] = [];
  try {
    const credential = await addCredential(api);
    const handles: string[] = [];
    for (let index = 0; index < limit.workflows; index += 1) {
      const blob = chainNodes(['send'], 'core:http-request', { url: `http://${host}/${index}`, credential });
      const [made] = await addWorkflows(url, { name: `Workflow ${index}`, blob, tenants: 1 });
      if (made) handles.push(made.handle);
    }
    while (workers.length < limit.workers) workers.push(await startWorkerProcess({ databaseUrl: url, env }));
    note(
      `${limit.workflows} workflows share ${limit.perSecond} requests a second of ${limit.workers} workers for ${seconds} s ...`,
    );
    await Promise.all(handles.map((handle, index) => fire(api, handle, runsPerWorkflow * (index === 0 ? 10 : 1))));
    await delay(warmUpMs);
    const from = performance.now();
    await delay(seconds * 1_000);
    const measured = arrivals.filter(({ at }) => at >= from && at < from + seconds * 1_000);
    const inWindow = measured.map(
      ({ at: first }) => arrivals.filter(({ at }) => at >= first && at < first + 1_000).length,
    );
    const counts = Array.from(
      { length: limit.workflows },
      (_, index) => measured.filter(({ workflow }) => workflow === index).length,
    );
    const share = measured.length / limit.workflows;
    const detail = {
      seconds,
      ...limit,
      runsOfFirst: runsPerWorkflow * 10,
      runsOfOthers: runsPerWorkflow,
      sent: measured.length,
    };
    printFigure({
      figure: 'credential-rate-over',
      value: inWindow.filter((count) => count > limit.perSecond).length,
      unit: 'windows of a second over the limit',
      reach: { of: 'value', atMost: 0 },
      detail: { ...detail, maxInASecond: Math.max(...inWindow) },
    });
    printFigure({
      figure: 'credential-rate-used',
      value: significant((measured.length / (seconds * limit.perSecond)) * 100, 4),
      unit: '%',
      reach: { of: 'value', atLeast: 95 },
      detail,
    });
    printFigure({
      figure: 'credential-rate-smallest-share',
      value: significant((Math.min(...counts) / share) * 100, 3),
      unit: '% of an even share',
      reach: { of: 'value', atLeast: 50 },
      detail: { ...detail, largest: significant((Math.max(...counts) / share) * 100, 3) },
    });
  } finally {
    for (const started of [...workers, api]) await started.stop();
  }
});
receiver.close();
