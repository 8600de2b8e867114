import { language } from './language.ts';

/** Loaded with the first form, for those who read German alone. */
const german: Readonly<Record<string, string>> = language === 'de' ? (await import('./help.de.ts')).germanHelp : {};

/** The help of a field in the reader's language. That of credential types is its author's, and stays as it is. */
export const helpWord = (help: string): string => german[help] ?? help;
