/** What makes sentences of errors in another language than English; see `errors.de.ts`. */
export interface ErrorCatalogue {
  codes: Readonly<Record<string, string>>;
  /** English sentences that say no more than their code. */
  plain: ReadonlySet<string>;
  sentences: Readonly<Record<string, string>>;
  faults: Readonly<Record<string, string>>;
  terms: Readonly<Record<string, string>>;
  /** Begins a sentence on what is wrong with a value, which stands below its field. */
  subject: string;
}

type Phrase = readonly [pattern: RegExp, translated: string];

const special = /[.*+?^$()|[\]\\]/g;

/** Phrases with placeholders as patterns, in their order. */
const phrases = (catalogue: Readonly<Record<string, string>>): readonly Phrase[] =>
  Object.entries(catalogue).map(([english, translated]) => [
    new RegExp(`^${english.replaceAll(special, String.raw`\$&`).replaceAll(/\{\d\}/g, '(.+?)')}$`, 's'),
    translated,
  ]);

function translate(text: string, known: readonly Phrase[], word = (value: string) => value): string | undefined {
  for (const [pattern, translated] of known) {
    const found = pattern.exec(text);
    if (found) return translated.replaceAll(/\{(\d)\}/g, (_, place: string) => word(found[Number(place)] ?? ''));
  }
  return undefined;
}

/** A type, a format, or a number with its unit, within a fault. */
function term(value: string, { terms }: ErrorCatalogue): string {
  if (value.startsWith('"')) return value;
  const [, count, unit = ''] = /^([\d,]+) (\w+)$/.exec(value) ?? [];
  if (count !== undefined) return `${count.replaceAll(',', '.')} ${terms[unit] ?? unit}`;
  return value
    .split(' or ')
    .map((part) => terms[part] ?? part)
    .join(terms['or'] ?? ' or ');
}

/** Translates what the server says is wrong: with an input as a whole, and with one of its fields. */
export function errorTranslator(catalogue: ErrorCatalogue) {
  const sentences = phrases(catalogue.sentences);
  const faults = phrases(catalogue.faults);

  /** As the server says it, where it is not known. */
  function fieldSentence(message: string): string {
    const [, fault] = /^(?:The field \S+|The body) (.+)$/s.exec(message) ?? [];
    const translated = fault && translate(fault, faults, (value) => term(value, catalogue));
    return translated ? `${catalogue.subject} ${translated}` : (translate(message, sentences) ?? message);
  }

  /** Where its sentence is not known, that of its code with the sentence as it is. */
  function errorSentence(code: string, message: string): string {
    const known = catalogue.codes[code];
    if (known === undefined) return message;
    if (catalogue.plain.has(message)) return known;
    const translated = fieldSentence(message);
    return translated === message ? `${known} (${message})` : translated;
  }

  return { fieldSentence, errorSentence };
}
