/** A slug out of a path or an argument, and '', which is none, for text that cannot be one: the database may not even hold it. */
export const asSlug = (text: string): string => (/^[a-z0-9:-]{1,128}$/.test(text) ? text : '');
