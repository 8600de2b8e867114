import sax, { type SAXOptions, type SAXParser } from 'sax';
import { FileFault } from './file-fault.ts';

/** Attributes of one element, at most: the parser keeps them until the element is open. */
const maxAttributes = 1_000;

const ignore = (): void => undefined;

/**
 * A parser that throws FileFault for a DOCTYPE, for entities that are not XML's own, for an element of too many attributes, and for text
 * that is not well-formed.
 */
export function strictXml(lastRead: () => string): SAXParser {
  // The types lack the option; without it, the entities of HTML would be known.
  const strict = { strictEntities: true } as SAXOptions;
  const parser = sax.parser(true, strict);
  // So that all parsers have the same properties, whichever of these their caller sets. V8 looks up each property anew where objects differ,
  // and sax uses three of them for each character: a megabyte took 25 ms instead of 5.
  parser.onopentag = ignore;
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = ignore;
  parser.oncdata = ignore;
  parser.onclosetag = ignore;
  parser.ondoctype = () => {
    throw new FileFault('The XML has a DOCTYPE, which is refused. Send it without one.');
  };
  let attributes = 0;
  parser.onopentagstart = () => {
    attributes = 0;
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > maxAttributes)
      throw new FileFault(`The XML has an element of more than ${maxAttributes} attributes after ${lastRead()}.`);
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.onerror = (error) => {
    throw new FileFault(`The XML cannot be read after ${lastRead()}: ${error.message.split('\n')[0]}`);
  };
  return parser;
}
