/**
 * Saving a draft of 500 nodes with one changed field, and validating it, as an editor does after each pause, against a draft of 5 nodes.
 * `node bench/drafts.ts [saves] [rounds] [nodes]`
 */
import pg from 'pg';
import { startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg, fillProductRuns } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { type Summary, significant, summarise } from './lib/stats.ts';

const [saves = 100, rounds = 3, nodes = 500] = process.argv.slice(2).map(Number);
const few = 5;

const saveDocument = `mutation ($input: SaveWorkflowDraftInput!) { saveWorkflowDraft(input: $input) { __typename
  ... on SaveWorkflowDraftPayload { draft { version validation { valid } } } } }`;
const validateDocument = `query ($blob: JSON!) { validateWorkflow(blob: $blob) { valid issues { code } } }`;

/** A chain of nodes, each with expressions over the one before it. */
function blobOfNodes(count: number, edit: number) {
  const made = Array.from({ length: count }, (_, n) => ({
    id: `step-${n}`,
    node: 'core:set',
    version: '1.0.0',
    config: {
      values: {
        order: '{{ trigger.payload.order.number }}',
        before: n === 0 ? 'first' : `{{ nodes.step-${n - 1}.outputs.order & "-${n}" }}`,
        edit: n === count - 1 ? edit : 0,
      },
    },
  }));
  const edges = made.slice(1).map(({ id }, n) => ({ from: { node: `step-${n}` }, to: id }));
  return { version: 'v1', nodes: made, edges };
}

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('drafts');
  await fillProductRuns(databaseUrl, { runs: 1, tenants: 1, workflowsPerTenant: 2 });
  const ids = await readWorkflowIds(databaseUrl);
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  try {
    const headers = { 'content-type': 'application/json', ...(await api.headersFor(tenantName(0), ['admin'])) };
    const ask = async (query: string, variables: object): Promise<{ data: Record<string, unknown>; ms: number }> => {
      const started = performance.now();
      const body = JSON.stringify({ query, variables });
      const response = await fetch(`http://127.0.0.1:${api.port}/graphql`, { method: 'POST', headers, body });
      const answer = (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
      if (answer.errors) throw new Error(JSON.stringify(answer.errors));
      return { data: answer.data, ms: performance.now() - started };
    };
    const versions = [0, 0];
    const save = async (side: 0 | 1, edit: number): Promise<number> => {
      const blob = blobOfNodes(side === 0 ? nodes : few, edit);
      const input = { workflowId: String(ids[side]), version: versions[side], baseRevision: 1, blob };
      const { data, ms } = await ask(saveDocument, { input });
      const { draft } = data['saveWorkflowDraft'] as { draft?: { version: number; validation: { valid: boolean } } };
      if (!draft?.validation.valid) throw new Error(`Not saved: ${JSON.stringify(data)}`);
      versions[side] = draft.version;
      return ms;
    };
    const validate = async (side: 0 | 1, edit: number): Promise<number> =>
      (await ask(validateDocument, { blob: blobOfNodes(side === 0 ? nodes : few, edit) })).ms;

    for (const [figure, once, atMost] of [
      ['draft-save', save, 40],
      ['draft-validate', validate, 60],
    ] as const) {
      const best = {} as Record<'many' | 'few', Summary>;
      // Alternating, so that both meet the same noise; the best of each, because noise only adds.
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, side] of [
          ['few', 1],
          ['many', 0],
        ] as const) {
          const took: number[] = [];
          for (let n = 0; n < saves; n += 1) took.push(await once(side, round * saves + n));
          const summary = summarise(took);
          note(`${figure}, round ${round + 1}: ${name}, p95 ${significant(summary.p95, 3)} ms`);
          if (summary.p95 < (best[name]?.p95 ?? Infinity)) best[name] = summary;
        }
      }
      printFigure({
        figure,
        value: best.many.p95,
        unit: 'ms p95',
        against: { name: `${few} nodes`, value: best.few.p95 },
        reach: { of: 'value', atMost },
        detail: { saves, rounds, nodes, p50Ms: significant(best.many.p50, 3), p99Ms: significant(best.many.p99, 3) },
      });
    }
  } finally {
    await api.stop();
  }
});

async function readWorkflowIds(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM workflows ORDER BY id LIMIT 2');
    return rows.map(({ id }) => Number(id));
  } finally {
    await client.end();
  }
}
