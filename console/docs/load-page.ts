import { loadIndex, pages } from 'causeway:docs';
import type { Hit } from './search-index.ts';
import type { Page } from './tree.ts';

/** Keeps what was loaded, as `use` needs one promise for one thing. A load that failed is forgotten, so that the next visit tries again. */
function keep<V>(load: (key: string) => Promise<V>): (key: string) => Promise<V> {
  const kept = new Map<string, Promise<V>>();
  return (key) => {
    const known = kept.get(key);
    if (known) return known;
    const loading = load(key);
    kept.set(key, loading);
    loading.catch(() => kept.delete(key));
    return loading;
  };
}

/** A page by its name; undefined where there is none. */
export const loadPage = keep(async (name: string): Promise<Page | undefined> => (await pages[name]?.())?.page);

/** The index and the code that reads it, which are loaded with the first search. */
const loadSearch = keep(async () => {
  const [{ openIndex }, { index }] = await Promise.all([import('./search-index.ts'), loadIndex()]);
  return openIndex(index);
});

/** The pages that have the words, the best first. */
export const findPages = keep(async (query: string): Promise<Hit[]> => (await loadSearch('search'))(query));
