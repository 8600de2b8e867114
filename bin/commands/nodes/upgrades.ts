import { type Command, CommandError, type CommandIo, type CommandValues, textOption } from '#bin/command.ts';
import { type Graphql, memberOptions, reachGraph } from '#bin/reach-graph.ts';

const pageSize = 50;
const defaultWorkflows = 1_000;
/** Nodes of one report. */
const maxNodes = 10_000;

interface Issue {
  field: string | null;
  message: string;
}

interface Upgrade {
  path: string;
  slug: string;
  version: string;
  current: string | null;
  newest: string | null;
  state: 'READY' | 'INVALID' | 'MIGRATION_FAILED' | 'UNAVAILABLE';
  issues: Issue[];
  migration: { issues: Issue[]; error: { code: string; message: string } | null } | null;
}

interface Workflow {
  databaseId: number;
  name: string;
}

interface Page<Node> {
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  totalCount: number;
}

const page = 'pageInfo { hasNextPage endCursor } totalCount';
const workflowsDocument = `query ($first: Int!, $after: String) {
  list: workflows(first: $first, after: $after, orderBy: { field: NAME, direction: ASC }) { edges { node { databaseId name } } ${page} } }`;
const upgradesDocument = `query ($first: Int!, $after: String, $id: ID!) {
  list: nodeUpgrades(workflowId: $id, first: $first, after: $after) { edges { node {
    path slug version current newest state issues { field message } migration { issues { field message } error { code message } } } } ${page} } }`;

export const command: Command = {
  usage: '[options]',
  options: {
    workflow: { type: 'string', about: 'Only the workflow of this id.' },
    limit: { type: 'string', about: `At most this many workflows, by name; ${defaultWorkflows} by default.` },
    ...memberOptions,
  },
  async run(values, _positionals, io) {
    const limit = readLimit(values);
    const graphql = reachGraph(values, io);
    const report = await collect(graphql, values, limit, io);
    if (values.json === true) io.out(`${JSON.stringify(report)}\n`);
    else print(report, io);
    return 0;
  },
};

interface Report {
  /** Workflows looked at, and those that the tenant has. */
  workflows: number;
  totalWorkflows: number;
  /** False where a limit ended the report. */
  complete: boolean;
  nodes: (Upgrade & { workflow: Workflow })[];
}

function readLimit(values: CommandValues): number {
  const text = textOption(values, 'limit') ?? String(defaultWorkflows);
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new CommandError('Give --limit as a number from 1 to 999999.', { exitCode: 2 });
  return Number(text);
}

async function collect(graphql: Graphql, values: CommandValues, limit: number, io: CommandIo): Promise<Report> {
  const report: Report = { workflows: 0, totalWorkflows: 0, complete: true, nodes: [] };
  for await (const { node: workflow, total } of listWorkflows(graphql, values)) {
    report.totalWorkflows = total;
    if (report.workflows === limit || report.nodes.length >= maxNodes) {
      report.complete = false;
      break;
    }
    for await (const { node } of readUpgrades(graphql, workflow.databaseId)) {
      if (report.nodes.length === maxNodes) {
        report.complete = false;
        break;
      }
      report.nodes.push({ workflow, ...node });
    }
    report.workflows += 1;
    if (io.isTerminal) io.err(`\r\u001b[K${report.workflows} of ${total} workflows`);
  }
  if (io.isTerminal) io.err('\r\u001b[K');
  return report;
}

async function* listWorkflows(
  graphql: Graphql,
  values: CommandValues,
): AsyncGenerator<{ node: Workflow; total: number }> {
  const id = textOption(values, 'workflow');
  if (id === undefined) {
    yield* readPages((page) => graphql<{ list: Page<Workflow> }>(workflowsDocument, page));
    return;
  }
  const read = 'query ($id: ID!) { workflow(id: $id) { databaseId name } }';
  const { workflow } = await graphql<{ workflow: Workflow | null }>(read, { id });
  if (!workflow) throw new CommandError(`There is no workflow ${id}.`);
  yield { node: workflow, total: 1 };
}

const readUpgrades = (graphql: Graphql, id: number) =>
  readPages((page) => graphql<{ list: Page<Upgrade> | null }>(upgradesDocument, { ...page, id }));

/** The rows of a list, page by page. A list that is null, such as that of a workflow that was deleted meanwhile, is empty. */
async function* readPages<Node>(
  read: (page: { first: number; after: string | null }) => Promise<{ list: Page<Node> | null }>,
): AsyncGenerator<{ node: Node; total: number }> {
  for (let after: string | null = null; ;) {
    const { list }: { list: Page<Node> | null } = await read({ first: pageSize, after });
    for (const { node } of list?.edges ?? []) yield { node, total: list?.totalCount ?? 0 };
    if (!list?.pageInfo.hasNextPage) return;
    after = list.pageInfo.endCursor;
  }
}

function print({ workflows, totalWorkflows, complete, nodes }: Report, io: CommandIo): void {
  let last: number | undefined;
  for (const { workflow, ...upgrade } of nodes) {
    if (workflow.databaseId !== last) io.out(`${workflow.name} (${workflow.databaseId})\n`);
    last = workflow.databaseId;
    io.out(`  ${describe(upgrade)}\n`);
  }
  const counts = new Map<string, number>();
  for (const { state } of nodes) counts.set(state, (counts.get(state) ?? 0) + 1);
  const states = [...counts].map(([state, count]) => `${count} ${word(state)}`).join(', ');
  const seen = `${workflows} of ${totalWorkflows} workflows`;
  io.out(
    nodes.length === 0 ? `No outdated node in ${seen}.\n` : `${nodes.length} outdated nodes in ${seen}: ${states}.\n`,
  );
  if (!complete) io.out('There are more: raise --limit, or name one with --workflow.\n');
}

const word = (state: string): string => state.toLowerCase().replaceAll('_', ' ');

function describe({ path, slug, version, newest, state, issues, migration }: Upgrade): string {
  const line = `${path}  ${slug}  ${version}${newest === null ? '' : ` -> ${newest}`}  ${word(state)}`;
  if (state === 'READY') return migration ? `${line}, migrated` : line;
  const { error } = migration ?? {};
  const faults = error
    ? [`${error.code}: ${error.message}`]
    : (migration?.issues ?? issues).map(({ message }) => message);
  return [line, ...faults.map((fault) => `    ${fault}`)].join('\n  ');
}
