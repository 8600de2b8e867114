import { type SearchKind, searchKinds } from './search.inputs.ts';

export interface SearchHit {
  kind: SearchKind;
  id: number;
  title: string;
  subtitle: string;
  /** One of `ranks`. */
  rank: number;
}

/** How well a row matches, the best first. */
export const ranks = {
  /** A number or a name is the text. */
  exact: 100,
  /** A number begins with it. */
  number: 80,
  /** A name begins with it. */
  name: 70,
  /** It begins a word. */
  word: 60,
  /** Every word of it is contained. */
  contained: 40,
  /** The row belongs to a workflow or a customer that matches. */
  related: 20,
} as const;

const maxWords = 8;

/** The words that a row must contain; further ones are ignored. */
export const searchedWords = (text: string): string[] => text.split(/\s+/u).slice(0, maxWords);

/**
 * True if a trigram index narrows the search for rows that contain the word. pg_trgm takes everything but letters and digits for a gap
 * between words; in databases whose character classification is C, also letters other than ASCII's.
 */
export function hasTrigrams(word: string, allScripts: boolean): boolean {
  const parts = word.replace(allScripts ? /[^\p{L}\p{N}]/gu : /[^a-z0-9]/gi, ' ');
  return /[^ ]{3}| [^ ]{2}|[^ ]{2} /u.test(parts);
}

/** The best hits in order. Of hits that match equally well, each kind shows its first before any shows its second. */
export function bestHits(found: readonly SearchHit[], first: number): SearchHit[] {
  const best = new Map<string, SearchHit>();
  for (const hit of found) {
    const key = `${hit.kind} ${hit.id}`;
    if ((best.get(key)?.rank ?? 0) < hit.rank) best.set(key, hit);
  }
  const counts = new Map<string, number>();
  return [...best.values()]
    .map((hit) => {
      const key = `${hit.kind} ${hit.rank}`;
      const place = counts.get(key) ?? 0;
      counts.set(key, place + 1);
      return { hit, place };
    })
    .toSorted(
      (one, other) =>
        other.hit.rank - one.hit.rank ||
        one.place - other.place ||
        searchKinds.indexOf(one.hit.kind) - searchKinds.indexOf(other.hit.kind),
    )
    .slice(0, first)
    .map(({ hit }) => hit);
}
