export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/**
 * The name of a description's source that is published with the package. It leaves out the query and the fragment of a URL, which may hold a
 * key, and the folders of a file.
 */
export const nameSource = (given: string): string =>
  isUrl(given) ? (given.split(/[?#]/, 1)[0] ?? '') : given.split(/[\\/]/).at(-1) || given;
