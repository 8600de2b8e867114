interface Registry {
  nouns: readonly { noun: string; type?: string; place: string }[];
}

interface Rail {
  places: readonly { place: string }[];
}

// By a path that the compiler does not follow: the registry loads screens, which are JSX, and tests are compiled without.
const shell: string = '#console/shell';

/** The nouns of the console, and the places under which they are found. */
export const { nouns } = (await import(`${shell}/nouns.ts`)) as Registry;
export const { places } = (await import(`${shell}/places.ts`)) as Rail;
