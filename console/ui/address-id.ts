/** A global id as it stands in an address: without the padding of base64, which would be escaped. */
export const toAddressId = (id: string): string => id.replaceAll('=', '');

/** The global id of an address. */
export const fromAddressId = (text: string): string => text.padEnd(Math.ceil(text.length / 4) * 4, '=');
