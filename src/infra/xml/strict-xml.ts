import sax, { type SAXOptions, type SAXParser } from 'sax';
import { createSyntaxCheck } from './xml-syntax.ts';

/** The limit for the attributes of one element: the parser keeps them until the element is open. */
const maxAttributes = 1_000;

const ignore = (): void => undefined;

/** A document type that only names a DTD: `cXML SYSTEM "http://xml.cxml.org/schemas/cXML/1.2.014/cXML.dtd"`. */
const externalType = /^\s+[^\s[\]<>"']+(?:\s+(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))\s+(?:"[^"]*"|'[^']*'))?\s*$/;

/** The entities that XML has without a DTD. The object has no prototype, because `&constructor;` would find an inherited member. */
const entities: Record<string, string> = Object.assign(Object.create(null), {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
});

const declarations =
  'The XML has a DOCTYPE with declarations of its own, which are refused. Send it without them; one that names a DTD may stay.';

/** The parser's own state, which the types lack. */
type Inner = SAXParser & { doctype: string | true; closedRoot: boolean; entity: string };

/** The caller's part in errors: the text read before a fault, and the error for a reason. */
export interface StrictXml {
  lastRead: () => string;
  fault: (reason: string) => Error;
}

/**
 * A parser that throws for text that is not well-formed, for a DOCTYPE with declarations of its own, for entities that are not XML's own,
 * and for an element with too many attributes. No DTD is loaded.
 */
export function strictXml({ lastRead, fault: toError }: StrictXml): SAXParser {
  // The types lack the option; without it, the parser would accept the entities of HTML.
  const strict = { strictEntities: true } as SAXOptions;
  const parser = sax.parser(true, strict) as Inner;
  parser.ENTITIES = entities;
  const fault = (reason: string): Error => toError(`The XML cannot be read after ${lastRead()}: ${reason}`);
  // Gives all parsers the same properties, whichever of these their caller sets. V8 looks up each property again when object shapes differ,
  // and sax uses three of them for each character: a megabyte took 25 ms instead of 5.
  parser.onopentag = ignore;
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = ignore;
  parser.oncdata = ignore;
  parser.onclosetag = ignore;
  parser.ondoctype = (type) => {
    if (externalType.test(type)) return;
    throw type.includes('[') ? toError(declarations) : fault('its DOCTYPE is malformed.');
  };
  parser.onsgmldeclaration = () => {
    throw fault('"<!" begins neither a comment nor CDATA.');
  };
  parser.onprocessinginstruction = ({ name }) => {
    if (typeof parser.doctype === 'string' && parser.doctype !== '') throw toError(declarations);
    if (name.toLowerCase() === 'xml' && parser.startTagPosition !== 1)
      throw fault('"<?xml" stands within the file. Remove what is before it.');
  };
  let attributes = 0;
  // The parser asks the object whether it has an attribute, and silently drops repeated ones.
  const prototype: object = Object.create(null, {
    hasOwnProperty: {
      value(this: object, name: string): boolean {
        if (Object.hasOwn(this, name)) throw fault(`an element has the attribute ${name} twice.`);
        return false;
      },
    },
  });
  parser.onopentagstart = (tag) => {
    if (typeof parser.doctype === 'string' && parser.doctype !== '') throw toError(declarations);
    if (parser.closedRoot) throw fault('it has a second root element.');
    attributes = 0;
    tag.attributes = Object.create(prototype) as Record<string, string>;
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > maxAttributes)
      throw toError(`The XML has an element of more than ${maxAttributes} attributes after ${lastRead()}.`);
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.onerror = (error) => {
    const [reason = ''] = error.message.split('\n');
    const isEntity = reason === 'Invalid character entity';
    throw fault(isEntity ? `"&${parser.entity};" is no character, and DTDs with entities are not loaded.` : reason);
  };
  const write = parser.write.bind(parser);
  const checked = createSyntaxCheck(parser, write, fault);
  // `write(null)` closes the parser.
  parser.write = (text) => (text === null ? write(text) : checked(text));
  return parser;
}
