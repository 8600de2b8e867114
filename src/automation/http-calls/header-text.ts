const nameText = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const valueText = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

export const isHeaderName = (name: string): boolean => nameText.test(name);

/** False for a line break, which would end the header, and for characters outside Latin-1. */
export const isHeaderValue = (value: string): boolean => valueText.test(value);

export const headerValueRule = 'cannot be sent in a header: use printable characters of Latin-1.';
