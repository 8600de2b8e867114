import type { Noun } from './registry.ts';

/** The places that each file walks, so that the files run side by side; `rest` has all others, and so a new one. */
export const shards = {
  automation: ['overview', 'runs', 'workflows'],
  commerce: ['orders', 'stock', 'prices', 'customers'],
  rest: [],
  operators: [],
} as const satisfies Record<string, readonly string[]>;

export type Shard = keyof typeof shards;

/** Each noun is walked by one shard. */
export const isWalkedBy = (shard: Shard, noun: Noun): boolean => findShard(noun) === shard;

function findShard({ place, readers }: Noun): Shard {
  if (readers === 'operators') return 'operators';
  const named = Object.entries(shards).find(([, places]) => (places as readonly string[]).includes(place));
  return (named?.[0] as Shard | undefined) ?? 'rest';
}
