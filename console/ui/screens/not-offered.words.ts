import { words } from '#console/words/words.ts';

/** Apart from the common words, because few addresses need it. */
export const notOfferedWords = words({
  en: {
    notOffered:
      'The action in the address is not possible here: your role does not allow it, or the state of the object does not.',
  },
  de: {
    notOffered:
      'Die Aktion in der Adresse ist hier nicht möglich: Ihre Rolle erlaubt sie nicht, oder der Zustand des Objekts lässt sie nicht zu.',
  },
});
