/** The languages of the console's words. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

const storageKey = 'causeway.language';

const isLanguage = (text: string | null | undefined): text is Language => text != null && text in languages;

/** The language chosen here before, else the first of the browser's that the console has, else English. */
function chooseLanguage(): Language {
  const chosen = readChoice();
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.split('-', 1)[0]).find(isLanguage) ?? 'en';
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // Storage is blocked; the choice then lasts as long as the page.
    return null;
  }
}

/** Fixed for the life of the page, so that words are plain strings: a change of language loads the page again. */
export const language = chooseLanguage();

/** The reader's own region decides how numbers and dates are written, if it speaks the chosen language. */
export const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;

/** Keeps the choice and loads the page again; false where storage is blocked or full, so that the choice cannot outlive the page. */
export function setLanguage(next: Language): boolean {
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    return false;
  }
  location.reload();
  return true;
}
