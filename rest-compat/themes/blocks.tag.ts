import type { Tag } from '#rest/route.ts';

export const blocksTag: Tag = { name: 'Blocks', description: 'What extensions add to the pages of a theme.' };
