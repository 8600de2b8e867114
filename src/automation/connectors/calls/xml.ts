import { checkDepth } from '#src/automation/formats/formats.ts';
import type { CallBody } from '#src/automation/node-api/api-call.ts';
import { invalid } from './values.ts';

/** Writes a value as an XML document. Text is already XML, so it is sent unchanged. */
export async function writeXml(value: unknown, { field, root }: CallBody): Promise<string> {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(field, 'must be an object or XML text.');
  checkDepth(value);
  const document = root === undefined ? value : { [root]: value };
  const members = Object.values(document);
  if (members.length !== 1 || Array.isArray(members[0])) {
    throw invalid(field, 'must have exactly one member, the root element of the XML document.');
  }
  // Loaded on first use, because few workers write XML.
  const { renderXml } = await import('#src/automation/formats/render-xml.ts');
  return renderXml(document, { root: 'root' });
}
