import { language } from './language.ts';

/** Loaded for those who read German alone. */
const translator = language === 'de' ? (await import('./german-errors.ts')).germanTranslator : undefined;

/** The message of a field's error, translated if the catalogue has it, otherwise the server's English sentence. */
export const fieldSentence = (message: string): string => translator?.fieldSentence(message) ?? message;

/** An error of the server in the reader's language. */
export const errorSentence = (code: string, message: string): string =>
  translator?.errorSentence(code, message) ?? message;
