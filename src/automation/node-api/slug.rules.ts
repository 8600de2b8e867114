/** A slug from a path or an argument, or '' for text that cannot be a slug, which the database might not even accept. */
export const asSlug = (text: string): string => (/^[a-z0-9:-]{1,128}$/.test(text) ? text : '');
