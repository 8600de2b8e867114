/** A text before and after, cut where they begin and end to differ. */
export interface TextParts {
  start: string;
  before: string;
  after: string;
  end: string;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Longer texts are not cut: a reader would not find the place either, and it would take tens of milliseconds. */
const mostCharacters = 20_000;

const wordsIn = (text: string): string[] =>
  text.length > mostCharacters ? [text] : [...segmenter.segment(text)].map(({ segment }) => segment);

/** What two texts have in common at their start and end, in whole words, and what differs between. */
export function textParts(before: string, after: string): TextParts {
  const [one, other] = [wordsIn(before), wordsIn(after)];
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return {
    start: one.slice(0, start).join(''),
    before: one.slice(start, one.length - end).join(''),
    after: other.slice(start, other.length - end).join(''),
    end: one.slice(one.length - end).join(''),
  };
}
