import { z } from 'zod';
import { type Tag, route } from '#rest/route.ts';

export const blocksTag: Tag = { name: 'Blocks', description: 'What extensions add to the pages of a theme.' };

export const blockRoutes = [
  route({
    method: 'GET',
    path: '/blocks',
    name: 'listBlocks',
    tag: blocksTag,
    summary: 'The blocks that pages of a theme may show, by name, with their settings for an editor.',
    document: `query ($theme: String!, $pageType: String, $first: Int, $after: String) {
      blocks(theme: $theme, pageType: $pageType, first: $first, after: $after) {
        edges { node {
          name title description enabled_on: enabledOn settings javascript stylesheet script
          extension { id: databaseId vendor name version title }
        } }
        pageInfo { hasNextPage endCursor }
      }
    }`,
    query: z.object({ theme: z.string().max(191), page_type: z.string().max(191).optional() }),
    streamedList: {},
    variables: ({ query: { theme, page_type: pageType } }) => ({ theme, pageType }),
  }),
];
