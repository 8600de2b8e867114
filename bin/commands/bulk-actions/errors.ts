import { type Command, CommandError, type CommandValues, textOption } from '#bin/command.ts';
import { memberOptions, reachGraph } from '#bin/reach-graph.ts';

interface ErrorGroup {
  groupId: string;
  kind: string;
  node: string | null;
  code: string;
  message: string;
  status: string;
  count: number;
  firstAt: string;
  lastAt: string;
  workflows: { count: number; workflow: { name: string } | null }[];
}

const fields = 'groupId kind node code message status count firstAt lastAt workflows { count workflow { name } }';
/** Groups that a call prints, and the most. */
const defaultLimit = 25;
const maxLimit = 100;

export const list: Command = {
  usage: '[options]',
  options: {
    status: { type: 'string', multiple: true, about: 'open, muted or resolved; left out: open.' },
    kind: { type: 'string', about: 'run, dead_letter or webhook_delivery; left out: all.' },
    search: { type: 'string', about: 'Part of the message.' },
    limit: { type: 'string', about: `How many to print, at most ${maxLimit}; left out: ${defaultLimit}.` },
    ...memberOptions,
  },
  async run(values, _positionals, io) {
    const given = Array.isArray(values['status']) ? values['status'] : ['open'];
    const filter = {
      status: given.map((each) => String(each).toUpperCase()),
      kind: textOption(values, 'kind')?.toUpperCase(),
      search: textOption(values, 'search'),
    };
    const first = Number(textOption(values, 'limit') ?? defaultLimit);
    if (!Number.isInteger(first) || first < 1 || first > maxLimit)
      throw new CommandError(`--limit is a whole number from 1 to ${maxLimit}.`, { exitCode: 2 });
    const { errorGroups } = await reachGraph(values, io)<{ errorGroups: { edges: { node: ErrorGroup }[] } }>(
      `query ($filter: ErrorGroupFilter, $first: Int) { errorGroups(filter: $filter, first: $first) { edges { node { ${fields} } } } }`,
      { filter, first },
    );
    const groups = errorGroups.edges.map(({ node }) => node);
    if (values.json === true) io.out(`${JSON.stringify({ errorGroups: groups })}\n`);
    else if (groups.length === 0) io.out('No error groups match.\n');
    else for (const group of groups) io.out(formatGroup(group));
    return 0;
  },
};

function formatGroup({
  groupId,
  kind,
  node,
  code,
  message,
  status,
  count,
  firstAt,
  lastAt,
  workflows,
}: ErrorGroup): string {
  const names = workflows
    .slice(0, 3)
    .map(({ workflow, count: own }) => `${workflow?.name ?? 'a deleted workflow'} (${own})`);
  const where = names.length > 0 ? `\n    ${names.join(', ')}${workflows.length > names.length ? ', ...' : ''}` : '';
  const what = [kind.toLowerCase(), node, code].filter((each) => each !== null).join(' ');
  return `${groupId}  ${status.toLowerCase()}  ${count} now, ${firstAt} to ${lastAt}\n    ${what}: ${message}${where}\n`;
}

interface Changed {
  message?: string;
  fields?: { messages: string[] }[];
  errorGroup?: { groupId: string; status: string; assignee: string | null };
}

const changeCommand = (
  name: 'mute' | 'resolve' | 'reopen' | 'assign',
  own: Command['options'] = {},
  readInput: (values: CommandValues) => object = () => ({}),
): Command => ({
  usage: '<group> [options]',
  options: { ...own, ...memberOptions },
  async run(values, positionals, io) {
    const [id] = positionals;
    if (id === undefined)
      throw new CommandError('Name the group, as `causeway errors list` prints it.', { exitCode: 2 });
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}ErrorGroup`;
    const { changed } = await reachGraph(values, io)<{ changed: Changed }>(
      `mutation ($input: ${title}Input!) { changed: ${name}ErrorGroup(input: $input) {
        ... on ${title}Payload { errorGroup { groupId status assignee } } ... on Error { message } ... on ValidationError { fields { messages } } } }`,
      { input: { id, ...readInput(values) } },
    );
    if (!changed.errorGroup) {
      const faults = changed.fields?.flatMap(({ messages }) => messages) ?? [];
      throw new CommandError([changed.message, ...faults.map((each) => `  ${each}`)].join('\n'));
    }
    if (values.json === true) io.out(`${JSON.stringify(changed)}\n`);
    else io.out(formatChange(changed.errorGroup));
    return 0;
  },
});

const formatChange = ({ groupId, status, assignee }: NonNullable<Changed['errorGroup']>): string =>
  `${groupId} is ${status.toLowerCase()}${assignee === null ? '' : `, assigned to ${assignee}`}.\n`;

export const mute = changeCommand(
  'mute',
  {
    until: {
      type: 'string',
      about: 'Stay muted before this instant, as 2026-12-01T00:00:00Z; else until the next failure.',
    },
  },
  (values) => ({ until: textOption(values, 'until') }),
);
export const resolve = changeCommand('resolve');
export const reopen = changeCommand('reopen');
export const assign = changeCommand(
  'assign',
  { user: { type: 'string', about: 'Id of the user, as `me.user.id` has it; left out: nobody.' } },
  (values) => {
    const user = textOption(values, 'user');
    if (user !== undefined && !/^\d{1,15}$/.test(user)) throw new CommandError('--user is a number.', { exitCode: 2 });
    return { userId: user === undefined ? null : Number(user) };
  },
);
