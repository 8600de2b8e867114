import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productVersion } from '#src/infra/product-version.ts';
import { environment } from '#src/process/env.ts';
import { chartValues } from './chart-values.ts';

const repository = join(import.meta.dirname, '../..');
export const chart = join(repository, 'deploy/helm');

/** Settings that `config` may not hold: other values make them, the image and the chart have fixed them, or they are secrets. */
const notInConfig = new Set(
  [
    'NODE_ENV ROLE HOST PORT METRICS_HOST METRICS_PORT DATA_DIR PUBLIC_URL OIDC_ISSUER DEV_REDIRECT_URIS SEED_DEMO',
    'SANDBOX_ALLOW_NO_OS_BOUNDARY DATABASE_URL DATABASE_APP_URL DATABASE_SYSTEM_URL URL_SIGNING_SECRET CREDENTIALS_KEY CREDENTIALS_KEY_PREVIOUS SECRETS_KEY',
    'SECRETS_KEY_PREVIOUS S3_ACCESS_KEY_ID S3_SECRET_ACCESS_KEY SMTP_URL',
  ].flatMap((names) => names.split(' ')),
);

/** What `npm run generate` writes into files of the chart and its page, as the files should be. */
export async function chartFiles(): Promise<[file: string, text: string][]> {
  const [description, schema, page] = ['Chart.yaml', 'values.schema.json', '../../docs/kubernetes.md'].map((name) =>
    join(chart, name),
  ) as [string, string, string];
  const values = await readFile(join(chart, 'values.yaml'), 'utf8');
  return [
    [description, versioned(await readFile(description, 'utf8'))],
    [schema, withSettings(await readFile(schema, 'utf8'))],
    [page, withTable(await readFile(page, 'utf8'), values)],
  ];
}

const versioned = (text: string): string =>
  text
    .replace(/^version: .*$/m, `version: ${productVersion}`)
    .replace(/^appVersion: .*$/m, `appVersion: '${productVersion}'`);

function withSettings(text: string): string {
  const names = Object.keys(environment.shape).filter((name) => !notInConfig.has(name));
  const list = names.map((name) => `\n          "${name}"`).join(',');
  return text.replace(
    /("propertyNames": \{\s*"enum": \[)[^\]]*\]/,
    (_all, start: string) => `${start}${list}\n        ]`,
  );
}

function withTable(page: string, values: string): string {
  const rows = chartValues(values).map(({ path, value, meaning }) => `| \`${path}\` | ${cell(value)} | ${meaning} |`);
  const table = `| Value | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
  return page.replace(/\| Value \| Default \| Meaning \|\n(\|.*\n)+/, () => table);
}

const cell = (value: string): string => (value === "''" ? '' : `\`${value}\``);
