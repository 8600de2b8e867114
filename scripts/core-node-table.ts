import { coreNodeManifests } from '#src/automation/core-nodes/manifests.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';

export const workflowsFile = new URL('../docs/workflows.md', import.meta.url);

const start = '<!-- `npm run generate` makes this table from the manifests of the core nodes. -->';

/** docs/workflows.md with its table of core nodes, from their own descriptions. Throws if the page has no place for it. */
export function workflowsPage(page: string): string {
  const [before, after, ...more] = page.split(start);
  const end = after?.indexOf('\n\n', 2);
  if (before === undefined || after === undefined || end === undefined || end < 0 || more.length > 0) {
    throw new Error(`docs/workflows.md must hold this line once, with the table below it: ${start}`);
  }
  const table = [
    '| Node | Does | Config | Outputs | Branches |',
    '| --- | --- | --- | --- | --- |',
    ...coreNodeManifests.map(formatRow),
  ];
  return `${before}${start}\n\n${table.join('\n')}${after.slice(end)}`;
}

function formatRow({
  slug,
  description,
  config,
  outputs,
  branches = ['default'],
  branches_from: from,
}: NodeManifest): string {
  const fields = (config ?? []).map(({ key, required, default: value }) => {
    const name = required ? `**\`${key}\`**` : `\`${key}\``;
    return value === undefined ? name : `${name} (${JSON.stringify(value)})`;
  });
  const named = (outputs ?? []).map(({ name }) => `\`${name}\``);
  const taken = branches.map((branch) => `\`${branch}\``);
  const all = from === undefined ? taken : [...taken, `those of \`${from}\``];
  return `| \`${slug}\` | ${description} | ${fields.join(', ')} | ${named.join(', ')} | ${all.join(', ')} |`;
}
