import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';

/** Longer names are no typing errors, and comparing them would cost as much as their sender wants. */
const maxLength = 64;

/** Up to three names that resemble `name`, the most similar first. */
export const resembling = (name: string, known: Iterable<string>): string[] =>
  name.length > maxLength ? [] : suggestionList(name, [...known]).slice(0, 3);

/** ` Did you mean "status"?`, with the names that resemble `name`; empty if none does. To append to a sentence. */
export const suggestion = (name: string, known: Iterable<string>): string => didYouMean(resembling(name, known));
