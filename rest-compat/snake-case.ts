/** `triggerHandle` as REST writes it: `trigger_handle`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
