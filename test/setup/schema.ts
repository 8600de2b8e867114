import { domains } from '#src/domains/domains.ts';
import { loadSchema } from '#src/schema.ts';

/** The product's graph. */
export const schema = await loadSchema(domains);
