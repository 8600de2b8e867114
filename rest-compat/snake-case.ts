/** The REST spelling of a name: `trigger_handle` for `triggerHandle`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
