import type { MessageManifest } from '#src/automation/node-api/manifest.ts';

/** A message and the package that brought it. */
export interface ListedMessage {
  packageName: string;
  message: MessageManifest;
}

type Query = <Row extends Record<string, unknown>>(statement: { text: string; values: unknown[] }) => Promise<Row[]>;

/** The most messages that a list answers. */
export const maxListed = 100;

/** The newest version of each message, by slug. `search` is a part of the slug, the name or the description, in any case. */
export async function listMessages(query: Query, search: string): Promise<ListedMessage[]> {
  return query<ListedMessage & Record<string, unknown>>({
    text: `SELECT * FROM (
        SELECT DISTINCT ON (m ->> 'slug') p.name AS "packageName", m AS message
        FROM node_packages p, jsonb_array_elements(p.messages) m
        ORDER BY m ->> 'slug', p.id DESC
      ) AS newest
      WHERE $1 = '' OR strpos(lower(concat_ws(' ', message ->> 'slug', message ->> 'name', message ->> 'description')), lower($1)) > 0
      LIMIT ${maxListed}`,
    values: [search],
  });
}
