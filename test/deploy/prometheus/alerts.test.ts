import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { observations } from '#src/infra/observations/observations.ts';
import { childEnvironment } from '#src/process/env.ts';
import { createMetrics } from '#src/process/metrics/metrics.ts';
import { timeRequests } from '#src/process/metrics/request-times.ts';
import { test } from '#test/setup/app-test.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../..');
const rulesFile = join(repository, 'deploy/prometheus/alerts.yaml');
const firingFile = join(import.meta.dirname, 'alerts.firing.yaml');

/** Naming a program, as CI does, makes its absence an error. */
const { PROMTOOL: named } = childEnvironment({});
const promtool = named ?? '/usr/bin/promtool';
const isMissing = named === undefined && !existsSync(promtool);
const skipped = isMissing ? ` (skipped: there is no ${promtool}; name one in PROMTOOL)` : '';

let rules: string;
let boardQueries: string[];

beforeAll(async () => {
  rules = await readFile(rulesFile, 'utf8');
  const board = JSON.parse(await readFile(join(repository, 'deploy/grafana/causeway.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  boardQueries = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
});

describe('The alerts for Prometheus', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-alerts-'));
    await copyFile(rulesFile, join(folder, 'alerts.yaml'));
    await copyFile(firingFile, join(folder, 'firing.yaml'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.skipIf(isMissing)(`fire when they should, and not a moment earlier${skipped}`, async () => {
    const { stdout } = await run(promtool, ['test', 'rules', 'firing.yaml'], { cwd: folder });
    expect(stdout).toContain('SUCCESS');
  });

  test.skipIf(isMissing)(`and the queries of the board are understood${skipped}`, async () => {
    const recorded = boardQueries.map((expr, index) => ({ record: `board:query:${index}`, expr }));
    await writeFile(join(folder, 'board.yaml'), JSON.stringify({ groups: [{ name: 'board', rules: recorded }] }));
    const { stdout } = await run(promtool, ['check', 'rules', 'alerts.yaml', 'board.yaml'], { cwd: folder });
    expect(stdout).toContain(`${boardQueries.length} rules found`);
  });

  test('are each shown to fire and to be silent, and explained where they say', async () => {
    const firing = await readFile(firingFile, 'utf8');
    const guide = await readFile(join(repository, 'docs/alerts.md'), 'utf8');
    const names = [...rules.matchAll(/- alert: (\w+)$/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThanOrEqual(10);
    for (const name of names) {
      expect(firing).toContain(`alertname: ${name}, exp_alerts: [] }`);
      expect(firing).toContain(`alertname: ${name}\n        exp_alerts:\n          - exp_labels:`);
      expect(guide).toContain(`\n### ${name}\n\n`);
      expect(rules).toContain(`guide: docs/alerts.md#${name?.toLowerCase()}\n`);
    }
  });
});

test('alerts and the board read figures that a process serves', async ({ api }) => {
  const registry = createMetrics(api.database);
  // Figures with labels are served once they have a value.
  timeRequests(registry)({ method: 'GET', route: '/v1/orders', status: 200 }, 5);
  observations.tenantRead.tell({ by: 'replica' });
  observations.runEnded.tell({ status: 'succeeded', ms: 5 });
  observations.stepEnded.tell({ node: 'core:set', status: 'succeeded', ms: 5 });
  observations.callSent.tell({ outcome: '2xx', ms: 5 });
  observations.webhookSent.tell({ outcome: '2xx', ms: 5 });
  observations.alertAttempted.tell({ channel: 'mail', outcome: 'sent' });
  const served = await registry.metrics();
  const names = [rules, ...boardQueries].flatMap(
    (text) => text.match(/\b(?:causeway|http_request|nodejs|process)_\w+/g) ?? [],
  );
  expect(names.length).toBeGreaterThan(20);
  for (const name of new Set(names)) expect(served).toContain(name);
});
