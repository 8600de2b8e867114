/** A filter of a list. Its value is in the address under `key`. */
export type Filter = TextFilter | ChoiceFilter | FlagFilter | TimesFilter | LookupFilter;

interface Named {
  /** The name in the address. */
  key: string;
  label: string;
  /** The member of the list's filter; left out: `key`. A path with dots reaches into nested inputs. */
  member?: string;
}

/** Free text. */
export interface TextFilter extends Named {
  kind: 'text';
}

/** One or many values of an enum. */
export interface ChoiceFilter extends Named {
  kind: 'choice';
  options: readonly string[];
  /** An option in words; left out: as a value of an enum. */
  nameOf?: (option: string) => string;
  /** The member takes a list. */
  many?: boolean;
}

export interface FlagFilter extends Named {
  kind: 'flag';
}

/** From and until; the members are `since` and `until`. A list that takes only the former names it in `member`. */
export interface TimesFilter extends Named {
  kind: 'times';
}

/** An object of another noun. */
export interface LookupFilter extends Named {
  kind: 'lookup';
  noun: string;
}

/** The values of the address, each a text; lists are joined by commas. */
export type AddressValues = Readonly<Record<string, string | undefined>>;

const hour = 3_600_000;

/** Spans that the address names, in milliseconds back from now. */
export const spans: Readonly<Record<string, number>> = {
  '1h': hour,
  '24h': 24 * hour,
  '7d': 168 * hour,
  '30d': 720 * hour,
};

/** The list's `filter` of the address; undefined where nothing is filtered. `now` is in milliseconds. */
export function filterOf(
  filters: readonly Filter[],
  values: AddressValues,
  now: number,
): Record<string, unknown> | undefined {
  const result: Record<string, unknown> = {};
  for (const filter of filters) {
    const value = values[filter.key];
    if (value === undefined || value === '') continue;
    const member = filter.member ?? filter.key;
    if (filter.kind === 'times') {
      const span = spans[value];
      const [since, until] = value.split('/');
      result[filter.member ?? 'since'] =
        span === undefined ? since : new Date(Math.floor((now - span) / 60_000) * 60_000).toISOString();
      if (span === undefined && until && filter.member === undefined) result['until'] = until;
    } else if (filter.kind === 'choice') result[member] = filter.many ? value.split(',') : value;
    else if (filter.kind === 'flag') result[member] = value === 'true';
    else result[member] = value;
  }
  return Object.keys(result).length > 0 ? result : undefined;
}

/** How many filters the address sets. */
export const filterCount = (filters: readonly Filter[], values: AddressValues): number =>
  filters.filter(({ key }) => values[key]).length;
