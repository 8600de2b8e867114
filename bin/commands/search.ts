import { type Command, CommandError } from '#bin/command.ts';
import { memberOptions, reachGraph } from '#bin/reach-graph.ts';

interface Found {
  results: { kind: string; nodeId: string; title: string; subtitle: string; rank: number }[];
  isPartial: boolean;
}

const document = `query ($text: String!, $kinds: [SearchKind!], $first: Int!) {
  search(text: $text, kinds: $kinds, first: $first) { isPartial results { kind nodeId title subtitle rank } } }`;

export const command: Command = {
  usage: '<text> [options]',
  options: {
    kind: {
      type: 'string',
      multiple: true,
      about: 'workflow, trigger, run, order, product, customer or api_key; repeat it for more. Left out: all.',
    },
    first: { type: 'string', about: 'At most this many, 1 to 50; left out: 20.' },
    ...memberOptions,
  },
  async run(values, positionals, io) {
    const [text, ...more] = positionals;
    if (text === undefined || more.length > 0)
      throw new CommandError('Give one text to search for; put several words in quotes.', { exitCode: 2 });
    const first = Number(values['first'] ?? 20);
    if (!Number.isInteger(first)) throw new CommandError('Give --first as a whole number.', { exitCode: 2 });
    const kinds = (values['kind'] as string[] | undefined)?.map((kind) => kind.toUpperCase().replaceAll('-', '_'));
    const graphql = reachGraph(values, io);
    const { search } = await graphql<{ search: Found }>(document, { text, first, ...(kinds && { kinds }) });
    if (values.json === true) io.out(`${JSON.stringify(search)}\n`);
    else {
      for (const { kind, nodeId, title, subtitle } of search.results)
        io.out(`${kind.toLowerCase().padEnd(9)}  ${nodeId}  ${title}${subtitle === '' ? '' : `  (${subtitle})`}\n`);
      if (search.results.length === 0) io.out('Nothing found.\n');
      if (search.isPartial) io.err('A part of the search took too long and was ended; there may be more.\n');
    }
    return 0;
  },
};
