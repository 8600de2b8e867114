import type { SAXParser } from 'sax';
import { strictXml as createParser } from '#src/infra/xml/strict-xml.ts';
import { FileFault } from './file-fault.ts';

/** A parser of XML that throws FileFault. */
export const strictXml = (lastRead: () => string): SAXParser =>
  createParser({ lastRead, fault: (reason) => new FileFault(reason) });
