import { language } from './language.ts';

type Word = string | ((...values: never[]) => string);

/** The same members, as texts or functions with the same parameters. */
type SameWords<W> = { [K in keyof W]: W[K] extends (...values: infer V) => string ? (...values: V) => string : string };

/*
 * Buttons say what they do by one rule, in all catalogues:
 *
 * - "New order", "Neuer Auftrag" opens an empty form for an object of its own; the button of that form says "Create", "Anlegen".
 * - "Add a trigger", "Trigger hinzufügen" puts a part into what is open.
 * - "Edit", "Bearbeiten" opens a form of what an object has; the button of that form says "Save", "Speichern".
 * - Verbs of the trade stay: "Ship", "Book", "Register a version", "Upload".
 *
 * A test finds buttons that begin with other words for these.
 */

/** The words of a noun in the reader's language. The types require that both languages have them all. */
export function words<W extends Record<string, Word>>(catalogue: { en: W; de: SameWords<W> }): W {
  return catalogue[language] as W;
}

/** One word or another by number: `plural(n, 'run', 'runs')`. Both languages have two forms. */
export const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many);
