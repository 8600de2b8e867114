/** How the records of a tenant name a person. */
export interface Person {
  /** E-mail addresses, in lower case. */
  addresses: readonly string[];
  /** Further texts that name the person alone, such as a phone number. */
  also: readonly string[];
  /** Names and streets. Others may have the same, so they count only beside an address of the person, or in what the person caused. */
  names: readonly string[];
}

/** What replaces a text that names the person. */
export const erased = 'erased';

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** Ends so that `ann@example.com` is found neither in `joann@example.com` nor in `ann@example.com.au`. */
const asAddress = (text: string): string =>
  String.raw`(?<![\p{L}\p{N}.%+_\-])${escapePattern(text)}(?![\p{L}\p{N}_\-]|\.[\p{L}\p{N}])`;
const asText = (text: string): string => String.raw`(?<![\p{L}\p{N}])${escapePattern(text)}(?![\p{L}\p{N}])`;

/** Names this long are found within other text too, such as the XML that an ERP was sent; shorter ones only as a whole value. */
const longName = 5;

/** Answers whether a text in what the person caused holds one of the person's names. */
export function createNameMatcher({ names }: Pick<Person, 'names'>): (text: string) => boolean {
  const simplified = new Set(names.map(simplify));
  const long = names.filter(({ length }) => length >= longName).map(asText);
  const pattern = long.length === 0 ? undefined : new RegExp(long.join('|'), 'iu');
  return (text) => simplified.has(simplify(text)) || pattern?.test(text) === true;
}

const simplify = (text: string): string => text.trim().toLowerCase();

const asInUrl = (text: string): string[] => [...new Set([text, encodeURIComponent(text)])];

/** Answers whether a text names the person, in any case of its letters. */
export function createMatcher({ addresses, also }: Person): (text: string) => boolean {
  const patterns = [
    ...addresses.flatMap(asInUrl).map((address) => asAddress(address)),
    ...also.flatMap(asInUrl).map((text) => asText(text)),
  ];
  const pattern = new RegExp(patterns.join('|'), 'iu');
  return (text) => pattern.test(text);
}

/**
 * Patterns of LIKE, for columns in lower case, that find every text which may name the person, also in JSON text: a first choice that
 * the matcher decides.
 */
export const likePatterns = ({ addresses, also }: Person): string[] => {
  const texts = [...addresses, ...also].flatMap(asInUrl);
  const written = texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  return [...new Set(written.map((text) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`))];
};

/** Why a text cannot be searched for; undefined where it can. */
export const faultOfText = (text: string): string | undefined =>
  text.trim().length < 4
    ? `"${text}" has fewer than four characters, and would be found in what is of others.`
    : undefined;
