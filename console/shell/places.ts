import { nouns, type Noun } from './nouns.ts';

/** The entries of the rail, in order, with the noun that each opens. */
export const places = [
  { place: 'overview', noun: 'overview' },
  { place: 'runs', noun: 'runs' },
  { place: 'workflows', noun: 'workflows' },
  { place: 'dead-letters', noun: 'dead-letters' },
  { place: 'deliveries', noun: 'deliveries' },
  { place: 'orders', noun: 'orders' },
  { place: 'stock', noun: 'stock' },
  { place: 'prices', noun: 'prices' },
  { place: 'customers', noun: 'customers' },
  { place: 'imports', noun: 'imports' },
  { place: 'themes', noun: 'themes' },
  { place: 'settings', noun: 'api-keys' },
] as const;

export type Place = (typeof places)[number]['place'];

/** The nouns of a place, which are tabs above its pages. */
export const nounsOfPlace = (place: string): readonly Noun[] => nouns.filter((noun) => noun.place === place);
