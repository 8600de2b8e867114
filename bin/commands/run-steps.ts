import { type Command, CommandError, type CommandIo, textOption } from '#bin/command.ts';
import { type Graphql, memberOptions, reachGraph } from '#bin/reach-graph.ts';

interface Step {
  id: string;
  nodeId: string;
  path: string;
  attempt: number;
  status: string;
  branch: string | null;
  startedAt: string;
  durationMs: number | null;
  error: { message: string } | null;
}

interface StepPage {
  totalCount: number;
  edges: { node: Step }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface Page {
  run: { stepConnection: StepPage } | null;
}

const pageSize = 100;
const maxSteps = 10_000;

const document = `query ($id: ID!, $first: Int!, $after: String, $filter: StepFilter) { run(id: $id) {
  stepConnection(first: $first, after: $after, filter: $filter) {
    totalCount edges { node { id nodeId path attempt status branch startedAt durationMs error } } pageInfo { hasNextPage endCursor } } } }`;

export const command: Command = {
  usage: '<run id> [options]',
  options: {
    node: { type: 'string', about: 'Id of a node in the workflow: only its steps.' },
    status: {
      type: 'string',
      multiple: true,
      about: 'failed, running, skipped, succeeded or waiting; repeat it for more. Left out: all.',
    },
    path: { type: 'string', about: 'What the path begins with: each/3/ for round 3 of the loop each.' },
    first: { type: 'string', about: `At most this many, 1 to ${maxSteps}; left out: 100.` },
    ...memberOptions,
  },
  async run(values, [id, ...more], io) {
    if (id === undefined || more.length > 0) throw new CommandError('Give the id of one run.', { exitCode: 2 });
    const most = Number(values['first'] ?? pageSize);
    if (!Number.isInteger(most) || most < 1 || most > maxSteps)
      throw new CommandError(`Give --first as a whole number, 1 to ${maxSteps}.`, { exitCode: 2 });
    const filter = {
      nodeId: textOption(values, 'node'),
      status: (values['status'] as string[] | undefined)?.map((status) => status.toUpperCase().replaceAll('-', '_')),
      pathPrefix: textOption(values, 'path'),
    };
    const graphql = reachGraph(values, io);
    const { totalCount, steps } = await readSteps(graphql, { id, filter }, most);
    if (values.json === true) io.out(`${JSON.stringify({ totalCount, steps })}\n`);
    else print(steps, totalCount, io);
    return 0;
  },
};

/** The first `most` steps that the filter leaves, read page by page, and how many there are. */
async function readSteps(graphql: Graphql, asked: { id: string; filter: object }, most: number) {
  const steps: Step[] = [];
  let after: string | null = null;
  for (;;) {
    const first = Math.min(pageSize, most - steps.length);
    const { run }: Page = await graphql(document, { ...asked, first, after });
    if (!run) throw new CommandError(`There is no run ${asked.id}.`);
    const { edges, pageInfo, totalCount }: StepPage = run.stepConnection;
    steps.push(...edges.map(({ node }) => node));
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage || after === null || steps.length >= most) return { totalCount, steps };
  }
}

function print(steps: readonly Step[], totalCount: number, io: CommandIo): void {
  if (steps.length === 0) io.out('No steps.\n');
  for (const { path, attempt, status, startedAt, durationMs, error } of steps) {
    const took = durationMs === null ? '' : `  ${durationMs} ms`;
    const tries = attempt > 1 ? `  attempt ${attempt}` : '';
    io.out(
      `${startedAt}  ${status.toLowerCase().padEnd(9)}  ${path}${tries}${took}${error ? `  ${error.message}` : ''}\n`,
    );
  }
  if (steps.length < totalCount) io.err(`${steps.length} of ${totalCount} steps; ask for more with --first.\n`);
}
