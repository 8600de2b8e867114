import { setTimeout as pause } from 'node:timers/promises';
import { type Command, CommandError, type CommandIo, textOption } from '#bin/command.ts';
import { type Graphql, memberOptions, reachGraph } from '#bin/reach-graph.ts';

const pollMs = 500;

interface Started {
  message?: string;
  fields?: { path: string; messages: string[] }[];
  run?: { id: string };
}

interface Step {
  path: string;
  status: string;
  origin: string | null;
  error: { message: string } | null;
}

interface Tested {
  databaseId: number;
  status: string;
  error: string | null;
  result: unknown;
}

type Page = { pageInfo: { hasNextPage: boolean; endCursor: string }; edges: { node: Step }[] };

const startDocument = `mutation ($input: StartRunInput!) { started: startRun(input: $input) {
  ... on StartRunPayload { run { id } } ... on Error { message } ... on ValidationError { fields { path messages } } } }`;
const readDocument = `query ($id: ID!) { run(id: $id) { databaseId status error result
  waiting: stepConnection(first: 50, filter: { status: [WAITING] }) { edges { node { resumeToken } } } } }`;
const stepsDocument = `query ($id: ID!, $after: String) { run(id: $id) { stepConnection(first: 100, after: $after) {
  pageInfo { hasNextPage endCursor } edges { node { path status origin error } } } } }`;

export const test: Command = {
  usage: '<workflow id> [options]',
  options: {
    draft: { type: 'boolean', about: 'Test the draft with its pins, instead of the published revision.' },
    pins: { type: 'string', about: 'Outputs by the path of their node, as JSON, instead of the pins of the draft.' },
    from: { type: 'string', about: 'The first node to execute; those before it are pinned or reused.' },
    to: { type: 'string', about: 'The last node to execute.' },
    reuse: { type: 'string', about: 'Id of a run, whose payload and unchanged outputs are taken.' },
    payload: { type: 'string', about: 'What the trigger brings, as JSON.' },
    ...memberOptions,
  },
  async run(values, [workflowId, ...more], io) {
    if (workflowId === undefined || more.length > 0)
      throw new CommandError('Give the id of one workflow.', { exitCode: 2 });
    const json = (name: string): unknown => {
      const text = textOption(values, name);
      try {
        return text === undefined ? undefined : JSON.parse(text);
      } catch {
        throw new CommandError(`Give --${name} as JSON.`, { exitCode: 2 });
      }
    };
    const [from, to, reuse] = ['from', 'to', 'reuse'].map((name) => textOption(values, name));
    const draft = values['draft'] === true;
    // Without any of the others, a run without pins is still a test.
    const pins = json('pins') ?? (draft ? undefined : {});
    const graphql = reachGraph(values, io);
    const input = { workflowId, draft, pins, from, to, reuse, payload: json('payload') };
    const { started } = await graphql<{ started: Started }>(startDocument, { input });
    if (!started.run)
      throw new CommandError(
        [
          started.message,
          ...(started.fields ?? []).flatMap(({ path, messages }) => messages.map((each) => `  ${path}: ${each}`)),
        ].join('\n'),
        { details: { ...started } },
      );
    const { id } = started.run;
    const run = await follow(graphql, id);
    const steps = await readSteps(graphql, id);
    if (values.json === true) io.out(`${JSON.stringify({ ...run, steps })}\n`);
    else print(run, steps, io);
    return run.status === 'SUCCEEDED' ? 0 : 1;
  },
};

/** Answers once the run has ended, or waits for an outside caller: the command cannot resume it. Retries and timers are waited for. */
async function follow(graphql: Graphql, id: string): Promise<Tested> {
  for (;;) {
    const { run } = await graphql<{
      run: Tested & { waiting: { edges: { node: { resumeToken: string | null } }[] } };
    }>(readDocument, { id });
    const { waiting, ...rest } = run;
    const hasEnded = ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(rest.status);
    // The steps are read after the run, which may not have waited yet.
    const awaitsCaller = rest.status === 'WAITING' && waiting.edges.some(({ node }) => node.resumeToken !== null);
    if (hasEnded || awaitsCaller) return rest;
    await pause(pollMs);
  }
}

async function readSteps(graphql: Graphql, id: string): Promise<Step[]> {
  const steps: Step[] = [];
  for (let after: string | null = null; ;) {
    const page: { run: { stepConnection: Page } } = await graphql<{ run: { stepConnection: Page } }>(stepsDocument, {
      id,
      after,
    });
    const { edges, pageInfo } = page.run.stepConnection;
    steps.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage) return steps;
    after = pageInfo.endCursor;
  }
}

function print({ databaseId, status, error }: Tested, steps: Step[], io: CommandIo): void {
  for (const { path, status: ended, origin, error: failure } of steps)
    io.out(
      `${(origin ?? ended).toLowerCase().padEnd(8)}  ${path}${ended === 'FAILED' ? `  failed: ${failure?.message}` : ''}\n`,
    );
  const said = error === null ? '' : `: ${error.replace(/\.$/, '')}`;
  io.out(`Run ${databaseId} ${status.toLowerCase()}${said}.\n`);
}
