import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chart } from '#scripts/chart/chart-files.ts';
import { areToolsInstalled, toolEnvironment } from '#scripts/tools.ts';
import { childEnvironment } from '#src/process/env.ts';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
}

const env = toolEnvironment();

/** In CI, whose lint installs the tools, tests fail without Helm. */
const isNeeded = childEnvironment({})['CI'] === 'true';
const isThere = (await areToolsInstalled()) && spawnSync('helm', ['version'], { env }).status === 0;
export const isHelmMissing = !isNeeded && !isThere;
export const skipped = isHelmMissing
  ? ' (skipped: `npm run deploy:lint` installs Helm, or says that npm has none here)'
  : '';

/** A module of tools/node_modules. */
export const importTool = async (path: string): Promise<unknown> =>
  import(pathToFileURL(join(import.meta.dirname, '../../../tools/node_modules', path)).href);

const yaml = (isHelmMissing ? undefined : await importTool('yaml/dist/index.js')) as {
  parse: (text: string) => unknown;
  parseAllDocuments: (text: string) => { toJS: () => unknown }[];
};

export const parseYaml = (text: string): unknown => yaml.parse(text);

/** What `helm template` makes of the chart. Rejects with what Helm says about values that are refused. */
export async function renderChart(values: object, ...options: string[]): Promise<Manifest[]> {
  const text = await helm(values, 'template', 'shop', chart, '--kube-version', '1.33.0', ...options);
  const documents = yaml.parseAllDocuments(text).map((document) => document.toJS());
  return documents.filter((document): document is Manifest => document !== null);
}

/** Rejects where `helm lint` finds anything. */
export const lintChart = (values: object): Promise<string> => helm(values, 'lint', chart, '--strict');

function helm(values: object, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('helm', [...args, '--values', '-'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${err}${out}`))));
    child.stdin.end(JSON.stringify(values));
  });
}
