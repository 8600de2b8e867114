import { errorTranslator } from './error-translator.ts';
import { germanErrors } from './errors.de.ts';

/** Imports nothing that the first view has: that waits for this file, and each would wait for the other. */
export const germanTranslator = errorTranslator(germanErrors);
