import { z } from 'zod';
import { declarations } from '#src/domains/domains.ts';

export const topicsFile = new URL('../docs/events.md', import.meta.url);

const start = '<!-- `npm run generate` makes this table from the topics that the domains declare. -->';

/** docs/events.md with its table of topics, from the declarations of the domains. Throws if the page has no place for it. */
export function eventsPage(page: string): string {
  const [before, after, ...more] = page.split(start);
  const end = after?.indexOf('\n\n', 2);
  if (before === undefined || after === undefined || end === undefined || end < 0 || more.length > 0) {
    throw new Error(`docs/events.md must hold this line once, with the table below it: ${start}`);
  }
  const rows = declarations.topics.map(({ name, when, data }) => `| \`${name}\` | ${when} | ${listMembers(data)} |`);
  const table = [
    '| Topic | Published | `data` |',
    '| --- | --- | --- |',
    ...rows,
    '| any other | by the node `core:emit-event` | whatever the node sends |',
  ];
  return `${before}${start}\n\n${table.join('\n')}${after.slice(end)}`;
}

const listMembers = (data: z.ZodType): string => {
  const { properties = {} } = z.toJSONSchema(data, { unrepresentable: 'any' });
  return Object.keys(properties)
    .map((member) => `\`${member}\``)
    .join(', ');
};
