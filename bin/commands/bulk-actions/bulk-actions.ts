import { setTimeout as pause } from 'node:timers/promises';
import { type Command, CommandError, type CommandIo, type CommandValues, textOption } from '#bin/command.ts';
import { type Graphql, memberOptions, operatorOptions, reachGraph } from '#bin/reach-graph.ts';

const pollMs = 500;

interface BulkAction {
  id: string;
  status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'STOPPED';
  total: number;
  done: number;
  refused: number;
  error: string | null;
  refusals: { edges: { node: { itemId: string; code: string; reason: string } }[] };
}

const fields = 'id status total done refused error refusals(first: 20) { edges { node { itemId code reason } } }';

/** What an action of the CLI calls: the mutation, and how its items are listed and named. */
interface BulkCommand {
  mutation: string;
  list: string;
  select: string;
  lineOf: (item: never) => string;
  /** Operators act in no tenant, and their items have no error groups. */
  isOfOperators?: boolean;
}

const groupOption = {
  group: { type: 'string', about: 'Only items of this error group, as `causeway errors list` prints it.' },
} as const;

/** Starts an action on what the filter matches and follows it to its end; with `--dry-run`, prints what it would take. */
export const bulkCommand = ({ mutation, list, select, lineOf, isOfOperators = false }: BulkCommand): Command => ({
  usage: isOfOperators ? `--filter '{"job": ...}' [options]` : `(--filter '{"status": ...}' | --group <id>) [options]`,
  options: {
    filter: { type: 'string', about: "The filter of the list, as JSON; '{}' for everything that it applies to." },
    ...(isOfOperators ? {} : groupOption),
    'dry-run': { type: 'boolean', about: 'Change nothing: print how many items match, and the first 20.' },
    ...(isOfOperators ? operatorOptions : memberOptions),
  },
  async run(values, _positionals, io) {
    const filter = readFilter(values);
    const graphql = reachGraph(values, io, { inTenant: !isOfOperators });
    const title = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
    const dryRun = values['dry-run'] === true;
    const { started } = await graphql<{ started: Started }>(
      `mutation ($input: ${title}Input!) { started: ${mutation}(input: $input) {
        ... on ${title}Payload { count bulkAction { ${fields} } items: ${list} { ${select} } }
        ... on Error { message } ... on ValidationError { fields { path messages } } } }`,
      { input: { filter, dryRun } },
    );
    if (started.message !== undefined) throw refusal(started);
    if (!started.bulkAction) return printRehearsal(started, lineOf, values, io);
    return printEnd(await follow(graphql, started.bulkAction, io), values, io);
  },
});

interface Started {
  message?: string;
  fields?: { path: string; messages: string[] }[];
  count: number;
  bulkAction: BulkAction | null;
  items: object[];
}

function readFilter(values: CommandValues): object {
  const group = textOption(values, 'group');
  const text = textOption(values, 'filter') ?? (group === undefined ? '' : '{}');
  try {
    const filter: unknown = JSON.parse(text);
    if (typeof filter === 'object' && filter !== null && !Array.isArray(filter))
      return group === undefined ? filter : { ...filter, errorGroupId: group };
  } catch {
    // Refused below, like JSON that is no object.
  }
  throw new CommandError(
    `Give the filter as a JSON object: --filter '{"search": "ERP is away"}', or name an error group with --group.`,
    { exitCode: 2 },
  );
}

function refusal({ message = '', fields: faults = [] }: Started): CommandError {
  return new CommandError(
    [message, ...faults.flatMap(({ messages }) => messages.map((each) => `  ${each}`))].join('\n'),
  );
}

function printRehearsal(
  { count, items }: Started,
  lineOf: (item: never) => string,
  values: CommandValues,
  io: CommandIo,
): number {
  if (values.json === true) io.out(`${JSON.stringify({ count, items })}\n`);
  else {
    io.out(`${count} would be taken${items.length < count ? `; the first ${items.length}:` : '.'}\n`);
    for (const item of items) io.out(`  ${lineOf(item as never)}\n`);
  }
  return 0;
}

const hasEnded = ({ status }: BulkAction): boolean => status !== 'QUEUED' && status !== 'RUNNING';

/** Waits until the action has ended. It continues when the command is interrupted. */
async function follow(graphql: Graphql, started: BulkAction, io: CommandIo): Promise<BulkAction> {
  for (let action = started; ;) {
    const line = `${action.done + action.refused} of ${action.total}`;
    if (io.isTerminal) io.err(`\r\u001b[K${line}${hasEnded(action) ? '\n' : ''}`);
    if (hasEnded(action)) return action;
    await pause(pollMs);
    const read = `query ($id: ID!) { bulkAction(id: $id) { ${fields} } }`;
    action = (await graphql<{ bulkAction: BulkAction }>(read, { id: started.id })).bulkAction;
  }
}

function printEnd(action: BulkAction, values: CommandValues, io: CommandIo): number {
  const refusals = action.refusals.edges.map(({ node }) => node);
  if (values.json === true) io.out(`${JSON.stringify({ bulkAction: { ...action, refusals } })}\n`);
  else {
    const { status, total, done, refused, error } = action;
    io.out(`${status.toLowerCase()}: ${done} of ${total} done, ${refused} refused.\n`);
    if (error !== null) io.out(`${error}\n`);
    for (const { itemId, reason } of refusals) io.out(`  ${itemId}  ${reason}\n`);
    if (refused > refusals.length) io.out(`  and ${refused - refusals.length} more\n`);
  }
  return action.status === 'COMPLETED' && action.refused === 0 ? 0 : 1;
}
