import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { type FormatOptions, formatLimits } from './formats.ts';

/** Declarations can define entities and refer to external files, so they are refused. */
function refuseDeclarations(text: string): void {
  for (let at = text.indexOf('<!'); at >= 0;) {
    const [end, length] = text.startsWith('<!--', at)
      ? [text.indexOf('-->', at + 4), 3]
      : text.startsWith('<![CDATA[', at)
        ? [text.indexOf(']]>', at + 9), 3]
        : [-2, 0];
    if (end === -2) throw new NodeError('UNREADABLE', 'The XML holds a declaration such as <!DOCTYPE; remove it.');
    if (end === -1) return;
    at = text.indexOf('<!', end + length);
  }
}

const options = {
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // Article numbers such as 007 and 1e5 are text.
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  // Numeric references are among these.
  htmlEntities: true,
  maxNestedTags: formatLimits.depth,
  ignoreDeclaration: true,
  ignorePiTags: true,
};

const xmlParser = new XMLParser(options);

/** A parser that makes lists of the elements that are named, or whose path from the root is: `line` or `order.lines.line`. */
function parserFor(lists: readonly string[]): XMLParser {
  if (lists.length === 0) return xmlParser;
  const named = new Set(lists);
  return new XMLParser({
    ...options,
    isArray: (name, path, _isLeaf, isAttribute) => !isAttribute && (named.has(name) || named.has(String(path))),
  });
}

/** Elements become members, repeated ones lists, attributes `@name`, text beside them `#text`. Every value is text. */
export function parseXml(text: string, { lists }: Pick<FormatOptions, 'lists'>): unknown {
  refuseDeclarations(text);
  const valid = XMLValidator.validate(text);
  if (valid !== true)
    throw new NodeError('UNREADABLE', `The XML is malformed in line ${valid.err.line}: ${valid.err.msg}`);
  return parserFor(lists).parse(text) as unknown;
}
