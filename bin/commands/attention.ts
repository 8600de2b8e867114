import type { Command } from '#bin/command.ts';
import { memberOptions, reachGraph } from '#bin/reach-graph.ts';

interface Item {
  kind: string;
  severity: 'CRITICAL' | 'WARNING' | 'INFO';
  title: string;
  message: string;
  count: number;
  since: string;
  nodeId: string;
}

const document = '{ attention { kind severity title message count since nodeId } }';

export const command: Command = {
  usage: '[options]  (exit code 1 where something is critical or a warning)',
  options: memberOptions,
  async run(values, _positionals, io) {
    const { attention } = await reachGraph(values, io)<{ attention: Item[] }>(document, {});
    if (values.json === true) io.out(`${JSON.stringify({ attention })}\n`);
    else if (attention.length === 0) io.out('Nothing needs attention.\n');
    else for (const item of attention) io.out(formatItem(item));
    return attention.some(({ severity }) => severity !== 'INFO') ? 1 : 0;
  },
};

const formatItem = ({ kind, severity, title, message, since, nodeId }: Item): string =>
  `${severity.toLowerCase()}  ${kind.toLowerCase().replaceAll('_', ' ')}  ${title}\n  ${message}\n  since ${since}  ${nodeId}\n`;
