/** What tests read of a noun of the console. */
export interface Noun {
  noun: string;
  type?: string;
  place: string;
  readers?: 'operators' | 'everybody';
  partOf?: string;
}

interface Registry {
  nouns: readonly Noun[];
}

// By a path that the compiler does not follow: the registry loads screens, which are JSX, and tests are compiled without.
const registry: string = '#console/shell/nouns.ts';

/** The nouns of the console. */
export const { nouns } = (await import(registry)) as Registry;
