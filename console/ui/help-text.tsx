import { language } from '#console/words/language.ts';

interface Props {
  text: string;
  /** A word for code that the page shows otherwise. */
  nameOf?: (code: string) => string | undefined;
}

/** A sentence of the graph's descriptions: what stands between backticks is code. */
export const HelpText = ({ text, nameOf = () => undefined }: Props) =>
  text
    .split('`')
    .map((part, index) =>
      index % 2 === 0 ? part : nameOf(part) === undefined ? <code key={index}>{part}</code> : quote(nameOf(part) ?? ''),
    );

const quote = (word: string): string => (language === 'de' ? `„${word}“` : `“${word}”`);
