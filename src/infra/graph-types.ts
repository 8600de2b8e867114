import { z } from 'zod';

/**
 * The graph's type for a schema whose zod type does not determine it: an enum or input type by its name, `ID`, `Long`. The description is
 * that of an input type. A schema keeps its entry when it is described or refined.
 */
export const graphTypes = z.registry<{ type: string; description?: string }>();

/** A global id of the graph, or an id of REST; the service reads it with `readId`. */
export const globalId = z.string().register(graphTypes, { type: 'ID' });
