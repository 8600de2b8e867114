import sax, { type SAXParser } from 'sax';

/** The parser's own state, which the types lack. */
type Inner = SAXParser & { state: number; tagName: string };

const states = (sax as unknown as { STATE: Record<string, number> }).STATE;

/** Patterns that may break a rule that the parser does not check, wherever they occur. */
// oxlint-disable-next-line no-control-regex -- these are the characters that XML cannot have.
const suspicious = /[\0-\x08\x0b\x0c\x0e-\x1f]|=[ \t\r\n]*(?:"[^"<]*<|'[^'<]*<)|<\/?[ \t\r\n]|\]\]>/;
// oxlint-disable-next-line no-control-regex -- as above.
const control = /[\0-\x08\x0b\x0c\x0e-\x1f]/;
const places = /<\/?[ \t\r\n]|<|\]\]>/g;

/**
 * Writes text to the parser with the rules of XML that it does not check: no control characters, no `<` in attributes, no `]]>` in text, no
 * white space before the name of a tag. Text without suspicious patterns is written in one piece, because the search takes a fraction of
 * parsing.
 */
export function createSyntaxCheck(
  saxParser: SAXParser,
  write: (text: string) => SAXParser,
  fault: (reason: string) => Error,
): (text: string) => SAXParser {
  const parser = saxParser as Inner;
  /** The end of the previous write, because a violation may span two writes. */
  let before = '';

  const check = (character: string): void => {
    if (character === '<' && parser.state === states['ATTRIB_VALUE_QUOTED'])
      throw fault('an attribute holds "<". Write &lt; instead.');
    if (character === '>' && parser.state === states['TEXT']) throw fault('a text holds "]]>". Write ]]&gt; instead.');
    const isBeforeName = parser.state === states['OPEN_WAKA'] || parser.state === states['CLOSE_TAG'];
    if (character !== '<' && character !== '>' && isBeforeName && parser.tagName === '')
      throw fault('white space follows "<".');
  };
  const writeInParts = (text: string): void => {
    const character = control.exec(text);
    // Written up to the fault, so that the message names what was read before it.
    const joined = before + text.slice(0, character?.index);
    let from = before.length;
    const to = (at: number): void => {
      if (at < before.length) return;
      write(joined.slice(from, at));
      from = at;
      check(joined[at] as string);
    };
    for (const { 0: found, index } of joined.matchAll(places)) {
      if (found.startsWith('<')) to(index);
      if (found.length > 1) to(index + found.length - 1);
    }
    write(joined.slice(from));
    before = joined.slice(-2);
    if (character) {
      const code = character[0].charCodeAt(0).toString(16).padStart(4, '0').toUpperCase();
      throw fault(`it has the control character U+${code}.`);
    }
  };
  const writeChecked = (text: string): void => {
    if (suspicious.test(text)) return writeInParts(text);
    write(text);
    before = (before + text.slice(-2)).slice(-2);
  };

  return (text) => {
    const isWithin = before !== '' && (parser.state !== states['TEXT'] || before.endsWith(']'));
    if (!isWithin) {
      writeChecked(text);
      return parser;
    }
    // Only the rest of the tag, unless something else contains its end.
    const end = text.indexOf('>') + 1;
    writeInParts(text.slice(0, end));
    if (parser.state === states['TEXT'] && end > 0) writeChecked(text.slice(end));
    else writeInParts(text.slice(end));
    return parser;
  };
}
