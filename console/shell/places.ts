import { nouns, type Noun } from './nouns.ts';
import { isOffered, type Reader } from './readers.ts';

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
  { place: 'settings', noun: 'tenants' },
] as const;

export type Place = (typeof places)[number]['place'];

/** The nouns of a place, which are tabs above its pages. */
export const nounsOfPlace = (place: string, reader: Reader): readonly Noun[] =>
  nouns.filter((noun) => noun.place === place && !noun.partOf && isOffered(noun, reader));

/** The places that have screens for somebody, with the noun that each opens: its own, or the first that is offered. */
export const placesOf = (reader: Reader): readonly { place: Place; noun: string }[] =>
  places.flatMap(({ place, noun }) => {
    const offered = nounsOfPlace(place, reader);
    const opened = offered.find((other) => other.noun === noun) ?? offered[0];
    return opened ? [{ place, noun: opened.noun }] : [];
  });
