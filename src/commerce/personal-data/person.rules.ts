import { decodeHTMLStrict } from 'entities';

/** How the records of a tenant name a person. */
export interface Person {
  /** E-mail addresses, in lower case. */
  addresses: readonly string[];
  /** Further texts that name the person alone, such as a phone number. */
  also: readonly string[];
  /** Names and streets. Others may have the same, so they count only beside an address of the person, or in what the person caused. */
  names: readonly string[];
}

/** The end of the addresses that contacts have after their erasure. They name nobody. */
export const pseudonyms = '@erased.invalid';

/** What replaces a text that names the person. */
export const erased = 'erased';

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/**
 * A mark other than a letter, as a URL or JSON within a text writes it: what follows `%3D`, `\n` or `\u003c` begins there, although the
 * character before it is a letter or a digit. Of marks that an address may have, such as `%2B`, it is no match.
 */
const writtenMark = (() => {
  const code = '(?:[01][0-9a-f]|2[0-46-9acf]|3[a-f]|40|5[b-e]|60|7[b-f])';
  return String.raw`(?<=%${code}|\\u00${code}|\\[bfnrt])`;
})();

/** Ends so that `ann@example.com` is found neither in `joann@example.com` nor in `ann@example.com.au`. */
const asAddress = (text: string): string =>
  String.raw`(?:${writtenMark}|(?<![\p{L}\p{N}.%+_\-]))${escapePattern(text)}(?![\p{L}\p{N}_\-]|\.[\p{L}\p{N}])`;
const asText = (text: string): string =>
  String.raw`(?:${writtenMark}|(?<![\p{L}\p{N}]))${escapePattern(text)}(?![\p{L}\p{N}])`;

/** A text with its accents as characters of their own, and without: keyboards and files differ, and the eye sees no difference. */
const accentForms = (text: string): string[] => [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];

/** Names this long are found within other text too, such as the XML that an ERP was sent; shorter ones only as a whole value. */
const longName = 5;

/** Answers whether a text in what the person caused holds one of the person's names. */
export function createNameMatcher({ names }: Pick<Person, 'names'>): (text: string) => boolean {
  const simplified = new Set(names.map(simplify));
  const long = names
    .filter(({ length }) => length >= longName)
    .flatMap(accentForms)
    .map(asText);
  const pattern = long.length === 0 ? undefined : new RegExp(long.join('|'), 'iu');
  return inEveryReading((text) => simplified.has(simplify(text)) || pattern?.test(text) === true);
}

/** The deepest nesting that is searched: HTML within XML within a document. */
const readings = 3;

/** Tests a text and, if it is HTML or XML, its decoded forms: `M&uuml;ller` is tested as a name too. */
const inEveryReading =
  (matches: (text: string) => boolean) =>
  (text: string): boolean => {
    for (let reading = text, count = 0; ; count += 1) {
      if (matches(reading)) return true;
      const next = reading.includes('&') ? decodeHTMLStrict(reading) : reading;
      if (next === reading || count === readings) return false;
      reading = next;
    }
  };

const simplify = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** A text, and as it stands in a URL: a form writes a space as `+`, and marks that other writers leave. */
const asInUrl = (text: string): string[] => [
  ...new Set(
    accentForms(text).flatMap((form) => [
      form,
      encodeURIComponent(form),
      `${new URLSearchParams([['', form]])}`.slice(1),
    ]),
  ),
];

/** Answers whether a text names the person, in any case of its letters. */
export function createMatcher({ addresses, also }: Person): (text: string) => boolean {
  const patterns = [
    ...addresses.flatMap(asInUrl).map((address) => asAddress(address)),
    ...also.flatMap(asInUrl).map((text) => asText(text)),
  ];
  // A pattern of nothing would be found in every text.
  if (patterns.length === 0) return () => false;
  const pattern = new RegExp(patterns.join('|'), 'iu');
  return inEveryReading((text) => pattern.test(text));
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
