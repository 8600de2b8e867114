import { HelpText } from '#console/ui/help-text.tsx';
import { helpWord } from '#console/words/help.ts';

interface Props {
  id?: string;
  help: string;
  /** What the form calls something that the help names as programs do. */
  nameOf: (code: string) => string | undefined;
}

/** The help text below a field, in the user's language. */
export const FieldHelp = ({ id, help, nameOf }: Props) => (
  <p id={id} className="field-help">
    <HelpText text={helpWord(help)} nameOf={nameOf} />
  </p>
);
