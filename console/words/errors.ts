import { errorTranslator } from './error-translator.ts';
import { fieldWord } from './fields.ts';
import { language } from './language.ts';

/** The catalogue is loaded for those who read German alone. */
const translator =
  language === 'de'
    ? errorTranslator((await import('./errors.de.ts')).germanErrors, (name) => `„${fieldWord(name)}“`)
    : undefined;

/** What is wrong with a field, in the reader's language where it is known, otherwise as the server says it. */
export const fieldSentence = (message: string): string => translator?.fieldSentence(message) ?? message;

/** An error of the server in the reader's language. */
export const errorSentence = (code: string, message: string): string =>
  translator?.errorSentence(code, message) ?? message;
