/**
 * Latency of the audit log's page 10,000 compared with page 1, for every kind of filter, over a million entries: p99 of both in turn, by
 * the product's own process over REST. For a filter with fewer pages, its last full one is read. The figure is that of the worst filter.
 * `node bench/audit-list.ts [seconds] [connections] [rounds] [entries]`
 */
import pg from 'pg';
import { createSignedCursors } from '#src/infra/signing/signed-cursors.ts';
import type { AdminAuditFilter } from '#src/journal/audit/audit.inputs.ts';
import { allAuditBounds, auditBounds } from '#src/journal/audit/audit.reads.ts';
import { startApiProcess } from './lib/api-process.ts';
import { busyTenant, fillAudit } from './lib/audit-rows.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant } from './lib/stats.ts';

const [seconds = 1, connections = 4, rounds = 3, entries = 1_000_000] = process.argv.slice(2).map(Number);
const size = 50;
const deepPage = 10_000;
const signingSecret = 'a secret of the bench alone, 32 bytes or more';
const cursors = createSignedCursors(Buffer.from(signingSecret, 'utf8'));

const actors = [{}, { sub: 'admin-1' }, { sub: 'rare' }];
const kinds = [
  {},
  { resourceType: 'workflow_run' },
  { resourceType: 'secret' },
  { action: 'run.started' },
  { action: 'run.failed' },
  { resourceType: 'trigger', action: 'delete' },
];
const tenantFilters: AdminAuditFilter[] = actors.flatMap((actor) => kinds.map((kind) => ({ ...actor, ...kind })));
const allFilters: AdminAuditFilter[] = [
  {},
  { orgId: benchOrg },
  { tenantId: busyTenant, resourceType: 'trigger' },
  { sub: 'user-4' },
  { email: 'admin-1@example.com', orgId: benchOrg },
  { resourceType: 'workflow_run' },
  { action: 'run.failed' },
];

interface Page {
  name: string;
  filter: AdminAuditFilter;
  path: string;
  plane: 'tenant' | 'all';
}

const filterColumns = {
  orgId: 'org_id',
  tenantId: 'tenant_id',
  sub: 'actor_sub',
  email: 'actor_email',
  resourceType: 'resource_type',
  action: 'action',
};
const filterParameters = { ...filterColumns, sub: 'sub', email: 'email' };
const given = (filter: AdminAuditFilter) => Object.entries(filter) as [keyof typeof filterColumns, string][];

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('audit');
  note(`Filling ${entries} entries ...`);
  await fillAudit(databaseUrl, entries);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10, signingSecret });
  const planes = { tenant: await api.headersFor(busyTenant, ['admin']), all: await api.headersFor('', ['operator']) };

  /** The number of the deep page, and the id before its first row. */
  async function findDeepPage(filter: AdminAuditFilter): Promise<{ page: number; id: string | undefined }> {
    const where = given(filter).map(([name, value]) => `${filterColumns[name]} = ${client.escapeLiteral(value)}`);
    const condition = where.join(' AND ') || 'true';
    const { rows: counts } = await client.query(`SELECT count(*)::int AS count FROM audit_entries WHERE ${condition}`);
    const page = Math.max(1, Math.min(deepPage, Math.floor(counts[0].count / size)));
    if (page === 1) return { page, id: undefined };
    const { rows } = await client.query(
      `SELECT id FROM audit_entries WHERE ${condition} ORDER BY id DESC OFFSET ${(page - 1) * size - 1} LIMIT 1`,
    );
    return { page, id: rows[0].id };
  }

  async function measure({ path, plane }: Page): Promise<number> {
    const request: LoadRequest = { method: 'GET', path, headers: planes[plane] };
    const load = await runLoad({
      port: api.port,
      requests: [request],
      connections,
      warmupMs: 200,
      durationMs: seconds * 1_000,
    });
    if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
    return load.latencyMs.p99;
  }

  try {
    const results: { filter: string; page: number; firstP99Ms: number; deepP99Ms: number; ratio: number }[] = [];
    const lists = [
      ...tenantFilters.map((filter) => ({ filter, plane: 'tenant' as const })),
      ...allFilters.map((filter) => ({ filter, plane: 'all' as const })),
    ];
    for (const { filter, plane } of lists) {
      const depth = await findDeepPage(plane === 'tenant' ? { ...filter, tenantId: busyTenant } : filter);
      const query = given(filter)
        .map(([name, value]) => `${filterParameters[name]}=${encodeURIComponent(value)}`)
        .join('&');
      const base = plane === 'tenant' ? '/api/v1/audit-logs' : '/api/v1/admin/audit-logs';
      const bounds = plane === 'tenant' ? auditBounds(busyTenant, filter) : allAuditBounds(filter);
      const first: Page = { name: query, filter, plane, path: `${base}?limit=${size}&${query}` };
      const deep: Page = {
        ...first,
        path: depth.id === undefined ? first.path : `${first.path}&cursor=${cursors.sign(bounds, `next:${depth.id}`)}`,
      };
      let [firstP99Ms, deepP99Ms] = [Infinity, Infinity];
      // The best of each, because noise only adds.
      for (let round = 0; round < rounds; round += 1) {
        firstP99Ms = Math.min(firstP99Ms, await measure(first));
        deepP99Ms = Math.min(deepP99Ms, await measure(deep));
      }
      const ratio = Math.max(deepP99Ms / firstP99Ms, firstP99Ms / deepP99Ms);
      const result = { filter: `${plane}: ${query || 'none'}`, page: depth.page, firstP99Ms, deepP99Ms, ratio };
      results.push(result);
      note(
        `${result.filter}, page ${depth.page}: p99 ${significant(firstP99Ms, 3)} and ${significant(deepP99Ms, 3)} ms`,
      );
    }
    const paged = results.filter(({ page }) => page > 1);
    const worst = paged.toSorted((a, b) => b.ratio - a.ratio)[0];
    if (!worst) throw new Error('No filter left more than one page.');
    const slowest = results.toSorted(
      (a, b) => Math.max(b.firstP99Ms, b.deepP99Ms) - Math.max(a.firstP99Ms, a.deepP99Ms),
    )[0];
    printFigure({
      figure: 'audit-page-10000',
      value: worst.deepP99Ms,
      unit: 'ms p99',
      against: { name: `page 1 of the same filter (${worst.filter})`, value: worst.firstP99Ms },
      reach: { of: 'ratio', atLeast: 0.5, atMost: 2 },
      detail: { seconds, connections, rounds, entries, filters: results.length, worst, slowest },
    });
  } finally {
    await client.end();
    await api.stop();
  }
});
