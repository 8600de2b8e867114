import { type Command, CommandError } from '#bin/command.ts';
import { platformOptions, reachPlatform } from '#bin/reach-platform.ts';

interface Schedule {
  databaseId: number;
  profile: string | null;
  target?: string | null;
  account: { name: string } | null;
  source?: { name: string } | null;
  cron: string;
  timezone: string;
  active: boolean;
  lastRunAt: string | null;
  lastSuccessAt: string | null;
  lastError: string | null;
  failures: number;
}

const common = 'databaseId profile account { name } cron timezone active lastRunAt lastSuccessAt lastError failures';
const document = `{
  imports: importSchedules(first: 100) { edges { node { ${common} source { name } } } }
  exports: exportSchedules(first: 100) { edges { node { ${common} target } } }
}`;

type Listed = Record<'imports' | 'exports', { edges: { node: Schedule }[] }>;

export const list: Command = {
  usage: '[options]',
  options: platformOptions,
  async run(values, _positionals, io) {
    const { imports, exports } = await reachPlatform(values, io).graphql<Listed>(document);
    const listed = [
      ...imports.edges.map(({ node }) => ({ direction: 'import', ...node })),
      ...exports.edges.map(({ node }) => ({ direction: 'export', ...node })),
    ];
    if (values.json === true) io.out(`${JSON.stringify({ schedules: listed })}\n`);
    else if (listed.length === 0) io.out('The tenant has no import or export schedules.\n');
    else for (const each of listed) io.out(formatLine(each));
    return listed.some(({ lastError }) => lastError !== null) ? 1 : 0;
  },
};

function formatLine({ direction, ...schedule }: Schedule & { direction: string }): string {
  const { databaseId, profile, target, account, source, cron, timezone, active, lastSuccessAt, lastError } = schedule;
  const place = account?.name ?? source?.name ?? '';
  const what = profile ?? target ?? '';
  const times = active ? `${cron} ${timezone}` : 'not active';
  const state = `last success ${lastSuccessAt ?? 'never'}${lastError === null ? '' : `\n    ${lastError}`}`;
  return `${direction} ${databaseId}  ${place}  ${what}  ${times}  ${state}\n`;
}

interface Run {
  answer: { __typename: string; message?: string };
}

export const run: Command = {
  usage: '<import or export> <id> [options]',
  options: platformOptions,
  async run(values, positionals, io) {
    const [direction, id] = positionals;
    if ((direction !== 'import' && direction !== 'export') || id === undefined || positionals.length > 2)
      throw new CommandError('Name a schedule as `transfer list` does: causeway transfer run import 12', {
        exitCode: 2,
      });
    const type = direction === 'import' ? 'Import' : 'Export';
    const { answer } = await reachPlatform(values, io).graphql<Run>(
      `mutation ($id: ID!) {
        answer: run${type}Schedule(input: { id: $id }) { __typename ... on Error { message } }
      }`,
      { id },
    );
    if (answer.message !== undefined) throw new CommandError(`${direction} ${id}: ${answer.message}`);
    if (values.json === true) io.out(`${JSON.stringify({ direction, id: Number(id) })}\n`);
    else io.out(`${direction} ${id} is being run; \`transfer list\` says what came of it.\n`);
    return 0;
  },
};
