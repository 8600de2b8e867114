import { z } from 'zod';

/** The part of an n8n export that no workflow blob has: it wires nodes by name, under `connections`. */
const n8nExport = z.object({
  nodes: z.array(z.object({ type: z.string() })),
  connections: z.record(z.string(), z.unknown()),
});

/** True when a value is the file that n8n writes when a workflow is exported. */
export const isN8nExport = (value: unknown): boolean => n8nExport.safeParse(value).success;

export const n8nExportMessage =
  'This is an n8n export, which cannot be used as it is: its nodes and credentials belong to n8n. ' +
  'Send {"version": "v1", "nodes": [{"id", "node", "version", "config"}], "edges": [{"from", "to"}]} as the blob; GET /api/v1/nodes lists the nodes.';

/** The schema of a blob with an answer to n8n exports that says what they are, instead of one for each member that does not fit. */
export const refusingN8nExports = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, context) => {
    if (isN8nExport(value)) context.addIssue({ code: 'custom', message: n8nExportMessage });
    return value;
  }, schema);
