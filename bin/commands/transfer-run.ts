import { type Command, CommandError } from '#bin/command.ts';
import { platformOptions, reachPlatform } from '#bin/reach-platform.ts';

interface Run {
  answer: { __typename: string; message?: string };
}

export const command: Command = {
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
